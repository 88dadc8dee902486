// SPDX-License-Identifier: MPL-2.0
// The answers of libzmq 4.3.4 of Debian 12 to every option number from -1 to 129 on the types 0 to 11.
// Numbers that it knows only with drafts or other transports are left out (see
// tests/exports/api_options.txt). The answers were found by setting each payload on a fresh socket and
// reading the option back, and by reading it with each room.
//
// A row holds for the types of its mask (bit n: type n), and lists the payloads that are accepted ("! ..."
// lists those that are refused); "name=hex" is read back as that and not as it was set. Refused ones leave
// the default.
#pragma once

#include <cstdint>
#include <string_view>

namespace zlink::test {

struct option_payload {
    std::string_view name;
    std::string_view bytes; // a null pointer with size 0 is meant as one
};

struct option_expectation {
    int id;
    std::uint32_t types;
    std::string_view rooms; // sizes of buffer that the getter takes; ">=n": these and more
    std::string_view value; // default as bytes in hexadecimal; "-" cannot be read, or is not stored
    std::string_view accepted;
};

// clang-format off
inline constexpr int option_rooms[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 32, 40, 41, 64, 255, 256, 512};

inline constexpr int unknown_options[] = {
    -1, 0, 1, 2, 3, 10, 20, 26, 29, 30, 67, 70, 82, 83, 125, 126, 127, 128, 129, 9999,
};

inline constexpr option_payload option_payloads[] = {
    {"null0", {}},
    {"empty", {"", 0}},
    {"i-2147483648", {"\000\000\000\200", 4}},
    {"i-2", {"\376\377\377\377", 4}},
    {"i-1", {"\377\377\377\377", 4}},
    {"i0", {"\000\000\000\000", 4}},
    {"i1", {"\001\000\000\000", 4}},
    {"i2", {"\002\000\000\000", 4}},
    {"i3", {"\003\000\000\000", 4}},
    {"i4", {"\004\000\000\000", 4}},
    {"i5", {"\005\000\000\000", 4}},
    {"i6", {"\006\000\000\000", 4}},
    {"i7", {"\007\000\000\000", 4}},
    {"i99", {"c\000\000\000", 4}},
    {"i100", {"d\000\000\000", 4}},
    {"i65535", {"\377\377\000\000", 4}},
    {"i65536", {"\000\000\001\000", 4}},
    {"i6553599", {"\377\377c\000", 4}},
    {"i6553600", {"\000\000d\000", 4}},
    {"i2147483647", {"\377\377\377\177", 4}},
    {"b1x00", {"\000", 1}},
    {"b1x01", {"\001", 1}},
    {"b2x00", {"\000\000", 2}},
    {"b2x01", {"\001\000", 2}},
    {"b3x00", {"\000\000\000", 3}},
    {"b3x01", {"\001\000\000", 3}},
    {"b5x00", {"\000\000\000\000\000", 5}},
    {"b5x01", {"\001\000\000\000\000", 5}},
    {"b8x00", {"\000\000\000\000\000\000\000\000", 8}},
    {"b8x01", {"\001\000\000\000\000\000\000\000", 8}},
    {"b16x00", {"\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000", 16}},
    {"b16x01", {"\001\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000", 16}},
    {"q-2", {"\376\377\377\377\377\377\377\377", 8}},
    {"q-1", {"\377\377\377\377\377\377\377\377", 8}},
    {"q0", {"\000\000\000\000\000\000\000\000", 8}},
    {"q1", {"\001\000\000\000\000\000\000\000", 8}},
    {"q1099511627776", {"\000\000\000\000\000\001\000\000", 8}},
    {"s1", {"a", 1}},
    {"s3", {"aaa", 3}},
    {"s4", {"aaaa", 4}},
    {"s5", {"aaaaa", 5}},
    {"s15", {"aaaaaaaaaaaaaaa", 15}},
    {"s16", {"aaaaaaaaaaaaaaaa", 16}},
    {"s17", {"aaaaaaaaaaaaaaaaa", 17}},
    {"s32", {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 32}},
    {"s40", {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 40}},
    {"s41", {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 41}},
    {"s254", {
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 254}},
    {"s255", {
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 255}},
    {"s256", {
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 256}},
    {"s257", {
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 257}},
    {"s300", {
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaa", 300}},
    {"sn2", {"a\000", 2}},
    {"sn4", {"aaa\000", 4}},
    {"sn6", {"aaaaa\000", 6}},
    {"sn16", {"aaaaaaaaaaaaaaa\000", 16}},
    {"sn17", {"aaaaaaaaaaaaaaaa\000", 17}},
    {"sn255", {
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "\000", 255}},
    {"sn256", {
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "\000", 256}},
    {"sn257", {
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "\000", 257}},
    {"zero_mid", {"ab\000cd", 5}},
    {"zero_first", {"\000abcd", 5}},
    {"X", {"X-a:b", 5}},
    {"X2", {"X-a:b:c", 7}},
    {"Xn", {"X-a:b\000", 6}},
    {"X3", {"X-a", 3}},
    {"X4", {":abcdef", 7}},
    {"X5", {"X-aaa:", 6}},
    {"x6", {"x-a:b", 5}},
    {"X7", {"X-:value", 8}},
    {"a:b", {"ab:cde", 6}},
    {"Xlong", {
        "X-kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
        "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
        "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk:v", 257}},
    {"Xlong2", {
        "X-kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
        "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
        "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk:v", 258}},
    {"Xlongv", {
        "X-k:vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"
        "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"
        "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"
        "vvvvvvvvvvvvvvvv", 304}},
    {"cidr", {"10.0.0.0/8", 10}},
    {"cidr2", {"10.0.0.0/33", 11}},
    {"cidr3", {"fe80::/10", 9}},
    {"cidr4", {"10.0.0.1", 8}},
    {"cidr5", {"nonsense", 8}},
    {"cidr6", {"10.0.0.0/", 9}},
    {"cidr7", {"10.0.0.0/x", 10}},
    {"cidrn", {"10.0.0.0/8\000", 11}},
    {"cidr9", {"/8", 2}},
    {"cidr10", {"10.0.0.0/-1", 11}},
    {"cidr11", {"::/129", 6}},
    {"cidr12", {"localhost/8", 11}},
    {"eth", {"127.0.0.1:1080", 14}},
    {"lo", {"lo", 2}},
    {"z85k", {"JTKVSB%%)wK0E.X)V>+}o\077pNmC{O&4W4b!Ni{Lh6", 40}},
    {"z85kn", {"JTKVSB%%)wK0E.X)V>+}o\077pNmC{O&4W4b!Ni{Lh6\000", 41}},
};

inline constexpr option_expectation option_expectations[] = {
    {4, 0xfff, "8", "0000000000000000", "b8x00 b8x01 q-2 q-1 q0 q1 q1099511627776 X7 cidr4 cidr5"},
    {5, 0xfff, ">=0", "", "! null0 empty s256 s257 s300 sn256 sn257 Xlong Xlong2 Xlongv"},
    {6, 0xffb, "", "-", ""},
    {6, 0x004, "", "-", "!"},
    {7, 0xffb, "", "-", ""},
    {7, 0x004, "", "-", "!"},
    {8, 0xfff, "4", "64000000", "i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {9, 0xfff, "4", "10270000",
     "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {11, 0xfff, "4", "ffffffff",
     "i-1 i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {12, 0xfff, "4", "ffffffff",
     "i-1 i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {13, 0xfff, ">=4", "00000000", ""},
    {14, 0xfff, ">=4", "-", ""},
    {15, 0x1bd, ">=4", "00000000", ""},
    {15, 0xe42, ">=4", "02000000", ""},
    {16, 0x001, "4", "00000000", ""},
    {16, 0x002, "4", "01000000", ""},
    {16, 0x004, "4", "02000000", ""},
    {16, 0x008, "4", "03000000", ""},
    {16, 0x010, "4", "04000000", ""},
    {16, 0x020, "4", "05000000", ""},
    {16, 0x040, "4", "06000000", ""},
    {16, 0x080, "4", "07000000", ""},
    {16, 0x100, "4", "08000000", ""},
    {16, 0x200, "4", "09000000", ""},
    {16, 0x400, "4", "0a000000", ""},
    {16, 0x800, "4", "0b000000", ""},
    {17, 0xbfb, "4", "ffffffff",
     "i-1 i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {17, 0x404, "4", "00000000",
     "i-1 i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {18, 0xfff, "4", "64000000",
     "i-1 i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {19, 0xfff, "4", "64000000",
     "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {21, 0xfff, "4", "00000000",
     "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {22, 0xfff, "8", "ffffffffffffffff", "b8x00 b8x01 q-2 q-1 q0 q1 q1099511627776 X7 cidr4 cidr5"},
    {23, 0xfff, "4", "e8030000",
     "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {24, 0xfff, "4", "e8030000",
     "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {25, 0xfff, "4", "01000000",
     "i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {27, 0xfff, "4", "ffffffff",
     "i-1 i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {28, 0xfff, "4", "ffffffff",
     "i-1 i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {31, 0xfff, "4", "01000000", "i0 i1"},
    {32, 0xfff, ">=1", "00", ""},
    {33, 0xfaf, "", "-", ""},
    {33, 0x050, "", "-", "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {34, 0xfff, "4", "ffffffff", "i-1 i0 i1"},
    {35, 0xfff, "4", "ffffffff",
     "i-1 i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {36, 0xfff, "4", "ffffffff",
     "i-1 i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {37, 0xfff, "4", "ffffffff",
     "i-1 i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {38, 0xfff, "", "-", "null0 cidr cidr4 cidrn"},
    {39, 0xfff, "4", "00000000", "i0 i1"},
    {40, 0xdfd, "", "-", ""},
    {40, 0x202, "", "-", "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {41, 0xfaf, "", "-", ""},
    {41, 0x050, "", "-", "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {42, 0xfff, "4", "00000000", "i0 i1"},
    {43, 0xfff, "4", "00000000", ""},
    {44, 0xfff, "4", "00000000", "i0 i1"},
    {45, 0xfff, ">=1", "00", "! empty s256 s257 s300 sn256 sn257 Xlong Xlong2 Xlongv"},
    {46, 0xfff, ">=1", "00", "! empty s256 s257 s300 sn256 sn257 Xlong Xlong2 Xlongv"},
    {51, 0xf87, "", "-", ""},
    {51, 0x078, "", "-", "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {52, 0xff7, "", "-", ""},
    {52, 0x008, "", "-", "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {53, 0xff7, "", "-", ""},
    {53, 0x008, "", "-", "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {54, 0xfff, "4", "00000000", "i0 i1"},
    {55, 0xfff, ">=1", "00", "! null0 empty s256 s257 s300 sn256 sn257 Xlong Xlong2 Xlongv"},
    {56, 0xfaf, "", "-", ""},
    {56, 0x050, "", "-", "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {57, 0xfff, "4", "00000000",
     "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {58, 0xfff, "", "-",
     "null0 i-2147483648 i-2 i-1 i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 "
     "i2147483647 s4 sn4"},
    {59, 0xfff, "", "-",
     "null0 i-2147483648 i-2 i-1 i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 "
     "i2147483647 s4 sn4"},
    {60, 0xfff, "", "-",
     "null0 i-2147483648 i-2 i-1 i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 "
     "i2147483647 s4 sn4"},
    {61, 0x7af, "", "-", ""},
    {61, 0x850, "", "-", "! null0 empty"},
    {66, 0xfff, "4", "30750000",
     "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {68, 0xfff, ">=1", "00", "! empty"},
    {69, 0xdfd, "", "-", ""},
    {69, 0x202, "", "-", "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {71, 0xdfd, "", "-", ""},
    {71, 0x202, "", "-", "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {72, 0xdfd, "", "-", ""},
    {72, 0x202, "", "-", "!"},
    {73, 0x7ff, "", "-", ""},
    {73, 0x800, "", "-", "i0 i1"},
    {74, 0xfff, "4", "00000000",
     "i-2147483648=01000000 i-2=01000000 i-1=01000000 i0 i1 i2=01000000 i3=01000000 i4=01000000 "
     "i5=01000000 i6=01000000 i7=01000000 i99=01000000 i100=01000000 i65535=01000000 i65536=01000000 "
     "i6553599=01000000 i6553600=01000000 i2147483647=01000000 s4=01000000 sn4=01000000"},
    {75, 0xfff, "4", "00000000",
     "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {76, 0xfff, "4", "00000000",
     "i-2=00000000 i-1=00000000 i0 i1=00000000 i2=00000000 i3=00000000 i4=00000000 i5=00000000 "
     "i6=00000000 i7=00000000 i99=00000000 i100 i65535=dcff0000 i65536=dcff0000 i6553599=9cff6300 "
     "sn4=4c616100"},
    {77, 0xfff, "4", "ffffffff",
     "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {78, 0xdfd, "", "-", ""},
    {78, 0x202, "", "-", "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {79, 0xfff, "4", "00000000",
     "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {80, 0xfff, "4", "00000000",
     "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {81, 0xfff, ">=4", "00000000", ""},
    {84, 0xfff, "4", "dc050000",
     "i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {89, 0xfff, "4", "ffffffff",
     "i-1 i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {92, 0xfff, ">=1", "00",
     "! empty s17 s32 s40 s41 s254 s255 s256 s257 s300 sn17 sn255 sn256 sn257 Xlong Xlong2 Xlongv "
     "z85k z85kn"},
    {93, 0xfff, "4", "00000000",
     "i-2147483648=01000000 i-2=01000000 i-1=01000000 i0 i1 i2=01000000 i3=01000000 i4=01000000 "
     "i5=01000000 i6=01000000 i7=01000000 i99=01000000 i100=01000000 i65535=01000000 i65536=01000000 "
     "i6553599=01000000 i6553600=01000000 i2147483647=01000000 s4=01000000 sn4=01000000"},
    {94, 0xfff, "4", "00000000",
     "i-2147483648=01000000 i-2=01000000 i-1=01000000 i0 i1 i2=01000000 i3=01000000 i4=01000000 "
     "i5=01000000 i6=01000000 i7=01000000 i99=01000000 i100=01000000 i65535=01000000 i65536=01000000 "
     "i6553599=01000000 i6553600=01000000 i2147483647=01000000 s4=01000000 sn4=01000000"},
    {95, 0xfff, "", "-", "X X2 Xn X7 Xlong Xlongv"},
    {96, 0xfff, "4", "01000000",
     "i-2147483648=01000000 i-2=01000000 i-1=01000000 i0 i1 i2=01000000 i3=01000000 i4=01000000 "
     "i5=01000000 i6=01000000 i7=01000000 i99=01000000 i100=01000000 i65535=01000000 i65536=01000000 "
     "i6553599=01000000 i6553600=01000000 i2147483647=01000000 s4=01000000 sn4=01000000"},
    {98, 0xdfd, "", "-", ""},
    {98, 0x202, "", "-", "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {99, 0xfff, ">=1", "00", "! s256 s257 s300 sn256 sn257 Xlong Xlong2 Xlongv"},
    {100, 0xfff, ">=1", "00", "! s256 s257 s300 sn256 sn257 Xlong Xlong2 Xlongv"},
    {108, 0x9fd, "", "-", ""},
    {108, 0x602, "", "-", "i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 i2147483647 s4 sn4"},
    {109, 0xfff, "4", "00000000",
     "i-2147483648 i-2 i-1 i0 i1 i2 i3 i4 i5 i6 i7 i99 i100 i65535 i65536 i6553599 i6553600 "
     "i2147483647 s4 sn4"},
};
// clang-format on

} // namespace zlink::test
