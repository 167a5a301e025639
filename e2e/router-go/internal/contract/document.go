package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

const maxBuckets = 65536

// document is the table as it travels. Fields that this router has no use for are skipped.
type document struct {
	Order
	WriterEpoch int64             `json:"writerEpoch"`
	Engine      string            `json:"engine"`
	Buckets     int               `json:"buckets"`
	Hash        string            `json:"hash"`
	KeyType     string            `json:"keyType"`
	BucketMap   string            `json:"bucketMap"`
	Epochs      string            `json:"epochs"`
	Pins        map[string]string `json:"pins"`
	Handovers   []handover        `json:"handovers"`
	Shards      map[string]Shard  `json:"shards"`
}

type handover struct {
	Buckets []struct {
		Bucket int   `json:"bucket"`
		Epoch  int64 `json:"epoch"`
	} `json:"buckets"`
	Keys []struct {
		Key   string `json:"key"`
		Epoch int64  `json:"epoch"`
	} `json:"keys"`
	To        string   `json:"to"`
	VisibleTo []string `json:"visibleTo"`
}

// Decode reads a table as the given role sees it and refuses what breaks a rule of the contract.
func Decode(text []byte, role string) (*Table, error) {
	var doc document
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("malformed table: %w", err)
	}
	if err := doc.supported(); err != nil {
		return nil, err
	}
	owners, err := expandRuns(doc.BucketMap, doc.Buckets)
	if err != nil {
		return nil, fmt.Errorf("bucketMap: %w", err)
	}
	epochs := make([]int64, doc.Buckets)
	if doc.Epochs != "" {
		if epochs, err = expandNumbers(doc.Epochs, doc.Buckets); err != nil {
			return nil, fmt.Errorf("epochs: %w", err)
		}
	}
	if err := doc.knowsShards(owners); err != nil {
		return nil, err
	}
	digest := sha256.Sum256(text)
	table := &Table{
		Order:       doc.Order,
		WriterEpoch: doc.WriterEpoch,
		Buckets:     doc.Buckets,
		Hash:        doc.Hash,
		Shards:      doc.Shards,
		Digest:      hex.EncodeToString(digest[:]),
		owners:      owners,
		epochs:      epochs,
		pins:        doc.pinned(),
	}
	return table, table.apply(doc.Handovers, role)
}

func (d *document) supported() error {
	switch {
	case d.Incarnation < 0 || d.Revision < 1:
		return errors.New("table has no order")
	case d.Buckets < 1 || d.Buckets > maxBuckets:
		return fmt.Errorf("%d buckets", d.Buckets)
	case !strings.HasPrefix(strings.ToLower(d.Engine), "postgres"):
		return fmt.Errorf("engine %q is not supported", d.Engine)
	case d.KeyType != "Int64":
		return fmt.Errorf("keyType %q is not supported", d.KeyType)
	case d.Hash != "MD5" && d.Hash != "Modulo":
		return fmt.Errorf("hash %q is not supported", d.Hash)
	}
	return nil
}

func (d *document) knowsShards(owners []string) error {
	for _, owner := range owners {
		if _, known := d.Shards[owner]; !known {
			return fmt.Errorf("bucketMap names the unknown shard %q", owner)
		}
	}
	for key, owner := range d.Pins {
		if _, known := d.Shards[owner]; !known {
			return fmt.Errorf("pin of %q names the unknown shard %q", key, owner)
		}
	}
	for _, h := range d.Handovers {
		if _, known := d.Shards[h.To]; !known {
			return fmt.Errorf("a handover names the unknown shard %q", h.To)
		}
	}
	return nil
}

func (d *document) pinned() map[string]pin {
	pins := make(map[string]pin, len(d.Pins))
	for key, shard := range d.Pins {
		pins[key] = pin{shard: shard}
	}
	return pins
}
