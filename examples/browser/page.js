// SPDX-License-Identifier: MPL-2.0
// Subscribes to a publisher over WebSocket, and draws its latest values. The address may name the publisher:
// http://localhost:8080/?endpoint=ws://localhost:5556/values
"use strict";
const zmq = require("jszmq");

const shown = 80; // values of the chart
const patience = 1000; // ms without a message, after which the page says that it waits
const endpoint = new URLSearchParams(location.search).get("endpoint") || `ws://${location.hostname}:5556/values`;
const at = (id) => document.getElementById(id);

const values = [];
let count = 0;
let last = -Infinity;

function draw() {
  const low = Math.min(...values);
  const range = Math.max(...values) - low || 1;
  const point = (value, index) => `${(100 * index) / (shown - 1)},${29 - (28 * (value - low)) / range}`;
  at("line").setAttribute("points", values.map(point).join(" "));
}

function onMessage(topic, body) {
  const [number, value] = body.toString().split(" ");
  values.push(Number(value));
  if (values.length > shown) values.shift();
  count += 1;
  last = performance.now();
  at("topic").textContent = topic.toString();
  at("value").textContent = value;
  at("value").dataset.number = number;
  at("count").textContent = count;
  draw();
}

function showState() {
  const state = performance.now() - last < patience ? "live" : "waiting";
  at("state").textContent = at("state").dataset.state = state;
}

at("endpoint").textContent = endpoint;
setInterval(showState, 100);
const socket = new zmq.Sub(); // it connects again by itself
socket.on("message", onMessage);
socket.subscribe("room.");
socket.connect(endpoint);
