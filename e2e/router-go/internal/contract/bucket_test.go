package contract

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const golden = "../../../../routing/src/test/resources/golden"

var sizes = []int{100, 1024, 65536}

func TestGoldenVectors(t *testing.T) {
	md5 := func(_, text string, buckets int) int { return MD5Bucket(text, buckets) }
	modulo := func(key, _ string, buckets int) int { return ModuloBucket(number(t, key), buckets) }
	for _, c := range []struct {
		file      string
		canonical func(string) (string, error)
		bucket    func(key, text string, buckets int) int
	}{
		{"int64-md5.tsv", canonicalNumber(t), md5},
		{"int64-modulo.tsv", canonicalNumber(t), modulo},
		{"string-md5.tsv", CanonicalString, md5},
		{"uuid-md5.tsv", CanonicalUUID, md5},
	} {
		t.Run(c.file, func(t *testing.T) {
			vectors := read(t, c.file)
			if len(vectors) < 1000 {
				t.Fatalf("only %d vectors", len(vectors))
			}
			for _, v := range vectors {
				text, err := c.canonical(v.key)
				if err != nil || text != v.text {
					t.Fatalf("text of %q is %q (%v), not %q", v.key, text, err, v.text)
				}
				for i, buckets := range sizes {
					if got := c.bucket(v.key, text, buckets); got != v.buckets[i] {
						t.Errorf("%q of %d: %d, not %d", v.key, buckets, got, v.buckets[i])
					}
				}
			}
		})
	}
}

func TestKeysThatAreRefused(t *testing.T) {
	if _, err := CanonicalString("a\x00b"); err == nil {
		t.Error("U+0000 must be refused")
	}
	if _, err := CanonicalUUID("0f0f0f0f0f0f4f0f8f0f0f0f0f0f0f0f"); err == nil {
		t.Error("a UUID without dashes must be refused")
	}
}

type vector struct {
	key, text string
	buckets   []int
}

func read(t *testing.T, file string) []vector {
	t.Helper()
	f, err := os.Open(filepath.Join(golden, file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var vectors []vector
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		words := strings.Split(lines.Text(), "\t")
		v := vector{key: unquote(t, words[0]), text: unquote(t, words[1])}
		for _, word := range words[2:] {
			v.buckets = append(v.buckets, int(number(t, word)))
		}
		vectors = append(vectors, v)
	}
	return vectors
}

func unquote(t *testing.T, quoted string) string {
	t.Helper()
	var text string
	if err := json.Unmarshal([]byte(quoted), &text); err != nil {
		t.Fatal(err)
	}
	return text
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func canonicalNumber(t *testing.T) func(string) (string, error) {
	return func(key string) (string, error) { return CanonicalInt64(number(t, key)), nil }
}
