#!/usr/bin/env python3
"""Writes the golden vectors from the words of the routing contract alone, with Python's own MD5 and integers.

The Java code and the databases are held against these files, so this script must never use either. Run it from the
module's directory: python3 src/test/scripts/golden_vectors.py. The output is the same on every run.

A line is: key as an application may give it, canonical text, bucket for B = 100, 1024 and 65536; the two texts are JSON
strings, columns are separated by tabs.
"""
import hashlib
import json
import pathlib
import random
import uuid

SIZES = (100, 1024, 65536)
FOLDER = pathlib.Path("src/test/resources/golden")
INT64_EDGES = [0, 1, -1, 7, 42, 99, 100, -99, -100, -101, 127, 128, 255, 256, 1023, 1024, -1024, 65535, 65536, -65536,
               2**31 - 1, 2**31, -2**31, 2**32 - 1, 2**32, 2**32 + 1, -2**32, 2**53 - 1, 2**53, 2**53 + 1,
               2**63 - 1, 2**63 - 2, -2**63, -2**63 + 1]
STRING_EDGES = ["", " ", "  ", "a", "A", "a ", " a", "a  ", "\t", "\n", "\r\n", "a\nb", "0", "00", "007", "+7", "-0", "'", "''",
                "\"", "\\", "\\0", "%", "_", ";", "--", "/*", "$1", "NULL", "null", "true", "{}", "\u0001", "\u001f",
                "\u007f", "\u0080", "\u00a0", "\u00e9", "e\u0301", "\u00df", "\u1e9e", "\u0130", "\u0131", "I", "i",
                "\u20ac", "\u4e2d\u6587", "\ud55c\uad6d\uc5b4", "\u1112\u1161\u11ab", "\u05e9\u05dc\u05d5\u05dd", "\u200b",
                "\ufeff", "\ufeffa", "\ufffd", "\uffff", "\U00010000", "\U0001f418", "\U0001f418\U0001f418", "\U0010ffff",
                "a\U0001f418z", "\U0001d11e clef", "x" * 255, "\U0001f418" * 64, "9223372036854775807"]
UUID_EDGES = ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
              "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f",
              "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
              "A0eeBC99-9c0B-4Ef8-bb6d-6BB9bd380a11"]


def md5_bucket(text, buckets):
    return int.from_bytes(hashlib.md5(text.encode("utf-8")).digest()[0:4], "big") % buckets


def modulo_bucket(text, buckets):
    return int(text) % buckets  # Python's % is floorMod


def int64_keys(rng):
    for number in INT64_EDGES:
        yield str(number), str(number)
    for given, number in (("007", 7), ("-0", 0), ("-007", -7), ("00000000000000000042", 42), ("0", 0)):
        yield given, str(number)
    for number in range(2, 500):
        yield str(number), str(number)
    for _ in range(250):
        number = rng.randrange(-2**63, 2**63)
        yield str(number), str(number)
    for _ in range(250):
        number = rng.randrange(-2**31, 2**31)
        yield str(number), str(number)


def string_keys(rng):
    for text in STRING_EDGES:
        yield text, text
    alphabet = "abcXYZ019 -_.@/\u00e9\u00fc\u00df\u0142\u0416\u4e2d\u3042\U0001f418\U0001f600\U00020000"
    for number in range(400):
        text = "tenant-%d" % number
        yield text, text
    for _ in range(600):
        text = "".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 40)))
        yield text, text


def uuid_keys(rng):
    for text in UUID_EDGES:
        yield text, text.lower()
    for number in range(1000):
        text = str(uuid.UUID(int=rng.getrandbits(128), version=4))
        yield (text.upper() if number % 4 == 0 else text), text


def write(name, keys, bucket):
    lines = ["# key\tcanonical text\tB=100\tB=1024\tB=65536"]
    for given, canonical in keys:
        columns = [json.dumps(given), json.dumps(canonical)] + [str(bucket(canonical, size)) for size in SIZES]
        lines.append("\t".join(columns))
    (FOLDER / name).write_text("\n".join(lines) + "\n", encoding="ascii")


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    write("int64-md5.tsv", int64_keys(random.Random(1)), md5_bucket)
    write("int64-modulo.tsv", int64_keys(random.Random(2)), modulo_bucket)
    write("string-md5.tsv", string_keys(random.Random(3)), md5_bucket)
    write("uuid-md5.tsv", uuid_keys(random.Random(4)), md5_bucket)


if __name__ == "__main__":
    main()
