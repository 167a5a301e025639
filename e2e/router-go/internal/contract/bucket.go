// Package contract is the part of the routing contract that needs no I/O: keys, buckets, tables and refusals.
package contract

import (
	"crypto/md5"
	"encoding/binary"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

var uuidShape = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// CanonicalInt64 is the text of an Int64 key.
func CanonicalInt64(key int64) string {
	return strconv.FormatInt(key, 10)
}

// CanonicalString is the text of a String key: as given, but PostgreSQL has no text with U+0000.
func CanonicalString(key string) (string, error) {
	if strings.ContainsRune(key, 0) || !utf8.ValidString(key) {
		return "", errors.New("key is not a text that every database can hold")
	}
	return key, nil
}

// CanonicalUUID is the text of a UUID key.
func CanonicalUUID(key string) (string, error) {
	text := strings.ToLower(key)
	if !uuidShape.MatchString(text) {
		return "", errors.New("key is not a UUID")
	}
	return text, nil
}

// MD5Bucket hashes a canonical text. MD5 spreads the keys; it protects nothing.
func MD5Bucket(text string, buckets int) int {
	sum := md5.Sum([]byte(text))
	return int(binary.BigEndian.Uint32(sum[:4]) % uint32(buckets))
}

// ModuloBucket is the floored remainder, so negative keys get a bucket as well.
func ModuloBucket(key int64, buckets int) int {
	b := int64(buckets)
	return int(((key % b) + b) % b)
}
