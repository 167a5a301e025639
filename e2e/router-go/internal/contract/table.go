package contract

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
)

// ErrNoPrimary: the table does not say where a shard is; a newer one may.
var ErrNoPrimary = errors.New("no primary")

// Table is a valid routing table. It is never changed once it is decoded.
type Table struct {
	Order
	WriterEpoch int64
	Buckets     int
	Hash        string
	Shards      map[string]Shard
	// Digest identifies the document in acknowledgements.
	Digest string
	// Announced are the targets of handovers that the router's role does not follow yet.
	Announced []string

	owners []string
	epochs []int64
	pins   map[string]pin
}

// Shard is where a shard's primary answers.
type Shard struct {
	Primary Endpoint `json:"primary"`
}

// Endpoint is a host and a port.
type Endpoint struct {
	Host string `json:"host"`
	Port int    `json:"port"`
}

func (e Endpoint) String() string {
	return net.JoinHostPort(e.Host, strconv.Itoa(e.Port))
}

// pin is a key's own shard; the epoch is 0 if the table does not say it.
type pin struct {
	shard string
	epoch int64
}

// Route is where one key goes by one table.
type Route struct {
	Key    string
	Bucket int
	Shard  string
	Epoch  int64
}

// Route looks a key up: pins first, always.
func (t *Table) Route(key int64) Route {
	text := CanonicalInt64(key)
	bucket := t.BucketOf(key)
	if p, pinned := t.pins[text]; pinned {
		return Route{Key: text, Bucket: bucket, Shard: p.shard, Epoch: p.epoch}
	}
	return Route{Key: text, Bucket: bucket, Shard: t.owners[bucket], Epoch: t.epochs[bucket]}
}

// BucketOf hashes a key.
func (t *Table) BucketOf(key int64) int {
	if t.Hash == "Modulo" {
		return ModuloBucket(key, t.Buckets)
	}
	return MD5Bucket(CanonicalInt64(key), t.Buckets)
}

// Endpoint is the primary of a shard.
func (t *Table) Endpoint(shard string) (Endpoint, error) {
	s, known := t.Shards[shard]
	if !known || s.Primary.Host == "" {
		return Endpoint{}, fmt.Errorf("%w: shard %q in table %s", ErrNoPrimary, shard, t.Order)
	}
	return s.Primary, nil
}

// Follows is whether the table may come after previous, which must be older.
func (t *Table) Follows(previous *Table) error {
	if t.Incarnation == previous.Incarnation && t.WriterEpoch < previous.WriterEpoch {
		return fmt.Errorf("writer epoch %d after %d", t.WriterEpoch, previous.WriterEpoch)
	}
	if t.Buckets != previous.Buckets || t.Hash != previous.Hash {
		return fmt.Errorf("%s of %d buckets after %s of %d", t.Hash, t.Buckets, previous.Hash, previous.Buckets)
	}
	return nil
}

// apply lays the handovers that a role follows over the owners, and notes the targets of the others.
func (t *Table) apply(handovers []handover, role string) error {
	for _, h := range handovers {
		for _, b := range h.Buckets {
			if b.Bucket < 0 || b.Bucket >= t.Buckets {
				return fmt.Errorf("a handover names bucket %d of %d", b.Bucket, t.Buckets)
			}
		}
		if !slices.Contains(h.VisibleTo, role) {
			t.Announced = append(t.Announced, h.To)
			continue
		}
		for _, b := range h.Buckets {
			t.owners[b.Bucket], t.epochs[b.Bucket] = h.To, b.Epoch
		}
		for _, k := range h.Keys {
			t.pins[k.Key] = pin{shard: h.To, epoch: k.Epoch}
		}
	}
	return nil
}
