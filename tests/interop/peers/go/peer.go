// SPDX-License-Identifier: MPL-2.0
//
// One end of an exchange on go-zeromq, with the arguments, scripts and words of interop_end.c; the message set comes as an
// argument: set=5;10,0,3;...
package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/plain"
)

var constructors = map[string]func(context.Context, ...zmq4.Option) zmq4.Socket{
	"PAIR": zmq4.NewPair, "REQ": zmq4.NewReq, "REP": zmq4.NewRep, "DEALER": zmq4.NewDealer, "ROUTER": zmq4.NewRouter,
	"PUSH": zmq4.NewPush, "PULL": zmq4.NewPull, "PUB": zmq4.NewPub, "SUB": zmq4.NewSub, "XPUB": zmq4.NewXPub, "XSUB": zmq4.NewXSub,
}

type peer struct {
	socket zmq4.Socket
	kind   string
	set    [][]int
	lines  chan string
}

func fail(what string, details ...any) {
	fmt.Println("failed:", what, fmt.Sprint(details...))
	os.Exit(1)
}

func must(err error) {
	if err != nil {
		fail("error", err)
	}
}

func (p *peer) content(message int) [][]byte {
	var frames [][]byte
	for number, size := range p.set[message] {
		body := make([]byte, size)
		for i := range body {
			body[i] = byte(message*7 + number*13 + i*31 + i/251)
		}
		frames = append(frames, body)
	}
	return frames
}

// A REQ that has bound has nobody to send to at first, and says so.
func (p *peer) send(frames ...[]byte) {
	message := zmq4.NewMsgFrom(frames...)
	err := p.socket.SendMulti(message)
	for tries := 0; err != nil && p.kind == "REQ" && tries < 1000; tries++ {
		time.Sleep(10 * time.Millisecond)
		err = p.socket.SendMulti(message)
	}
	must(err)
}

func (p *peer) receive() [][]byte {
	message, err := p.socket.Recv()
	must(err)
	return message.Frames
}

func (p *peer) expect(message int, frames [][]byte) {
	wanted := p.content(message)
	same := len(frames) == len(wanted)
	for i := 0; same && i < len(wanted); i++ {
		same = bytes.Equal(frames[i], wanted[i])
	}
	if !same {
		fail("came otherwise: message", message, " of frames ", len(frames))
	}
}

func (p *peer) ask(prefix ...[]byte) {
	for message := range p.set {
		p.send(append(prefix, p.content(message)...)...)
		frames := p.receive()
		if len(frames) < len(prefix) {
			fail("no frame before the body, message", message)
		}
		p.expect(message, frames[len(prefix):])
	}
}

func (p *peer) expectSubscription(kind byte) {
	if frames := p.receive(); len(frames) != 1 || !bytes.Equal(frames[0], []byte{kind, 'T'}) {
		fail("no subscription:", frames)
	}
}

func (p *peer) publish() {
	if p.kind == "XPUB" {
		p.expectSubscription(1)
	} else {
		for told := false; !told; {
			p.send([]byte("T-call"))
			select {
			case <-p.lines:
				told = true
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	for message := range p.set {
		p.send([]byte("other topic"))
		p.send(append([][]byte{[]byte("T-body")}, p.content(message)...)...)
	}
	if p.kind == "XPUB" {
		p.expectSubscription(0)
	}
}

func (p *peer) subscribe(on byte) {
	if p.kind == "XSUB" {
		p.send([]byte{on, 'T'})
	} else if on == 1 {
		must(p.socket.SetOption(zmq4.OptionSubscribe, "T"))
	} else {
		must(p.socket.SetOption(zmq4.OptionUnsubscribe, "T"))
	}
}

func (p *peer) hear() {
	synced := false
	for message := 0; message < len(p.set); {
		frames := p.receive()
		if string(frames[0]) == "T-call" {
			if !synced {
				fmt.Println("synced")
			}
			synced = true
			continue
		}
		p.expect(message, frames[1:])
		message++
	}
	p.subscribe(0)
}

func (p *peer) play(script string) {
	switch script {
	case "ask":
		p.ask()
	case "ask_delimited":
		p.ask([]byte{})
	case "ask_routed":
		p.ask([]byte("peer"))
	case "answer":
		for range p.set {
			p.send(p.receive()...)
		}
	case "send":
		for message := range p.set {
			p.send(p.content(message)...)
		}
	case "receive":
		for message := range p.set {
			p.expect(message, p.receive())
		}
	case "publish":
		p.publish()
	case "subscribe":
		p.hear()
	default:
		fail("no script", script)
	}
}

func parseSet(text string) (set [][]int) {
	for _, message := range strings.Split(text, ";") {
		var sizes []int
		for _, word := range strings.Split(message, ",") {
			size, err := strconv.Atoi(word)
			must(err)
			sizes = append(sizes, size)
		}
		set = append(set, sizes)
	}
	return set
}

// Its PLAIN has one object for both roles.
func optionsOf(kind string, arguments []string) (options []zmq4.Option, set [][]int) {
	options = append(options, zmq4.WithDialerRetry(50*time.Millisecond), zmq4.WithTimeout(time.Minute))
	if kind == "ROUTER" {
		options = append(options, zmq4.WithID(zmq4.SocketIdentity("peer")))
	}
	user, password := "admin", "secret"
	for _, argument := range arguments {
		switch {
		case strings.HasPrefix(argument, "set="):
			set = parseSet(argument[4:])
		case argument == "44=1":
			options = append(options, zmq4.WithSecurity(plain.Security(user, password)))
		case strings.HasPrefix(argument, "45:"):
			user = argument[3:]
		case strings.HasPrefix(argument, "46:"):
			options = append(options, zmq4.WithSecurity(plain.Security(user, argument[3:])))
		}
	}
	return options, set
}

func main() {
	kind, how, endpoint, script := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	construct, known := constructors[kind]
	if !known {
		fail("no type", kind)
	}
	options, set := optionsOf(kind, os.Args[5:])
	p := &peer{construct(context.Background(), options...), kind, set, make(chan string)}
	go func() {
		for input := bufio.NewScanner(os.Stdin); input.Scan(); {
			p.lines <- input.Text()
		}
		os.Exit(1)
	}()
	if kind == "SUB" {
		p.subscribe(1)
	}
	if how == "bind" {
		must(p.socket.Listen(strings.Replace(endpoint, "*", "0", 1)))
		address := p.socket.Addr()
		if address.Network() == "tcp" {
			fmt.Println("bound tcp://" + address.String())
		} else {
			fmt.Println("bound", endpoint)
		}
	} else {
		must(p.socket.Dial(endpoint))
	}
	if kind == "XSUB" {
		p.subscribe(1)
	}
	p.play(script)
	fmt.Println("done")
	<-p.lines
	p.socket.Close()
}
