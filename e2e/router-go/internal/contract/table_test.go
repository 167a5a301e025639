package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

const good = `{"bucketMap":"ds-0*50,ds-1*50","buckets":100,"cluster":"orders","engine":"PostgreSQL","epochs":"1*100",` +
	`"generation":9,"handovers":[],"hash":"MD5","incarnation":1,"keyType":"Int64","pins":{"42":"ds-0"},"revision":7,` +
	`"shards":{"ds-0":{"primary":{"host":"10.0.0.1","port":5432},"role":"Primary"},` +
	`"ds-1":{"primary":{"host":"10.0.0.2","port":5433}}},"unheardOf":{},"writerEpoch":3}`

const handoverOf84 = `"handovers":[{"buckets":[{"bucket":60,"epoch":2}],"to":"ds-0","visibleTo":["worker"]}]`

func TestRoutes(t *testing.T) {
	table := decode(t, good, "web")
	if table.Order != (Order{Incarnation: 1, Revision: 7, Generation: 9}) || table.WriterEpoch != 3 {
		t.Errorf("order %s, writer epoch %d", table.Order, table.WriterEpoch)
	}
	if got := table.Route(1); got != (Route{Key: "1", Bucket: 60, Shard: "ds-1", Epoch: 1}) {
		t.Errorf("route of 1: %+v", got)
	}
	if got := table.Route(42); got != (Route{Key: "42", Bucket: 84, Shard: "ds-0"}) {
		t.Errorf("a pin comes before the hash: %+v", got)
	}
	if at, err := table.Endpoint("ds-1"); err != nil || at.String() != "10.0.0.2:5433" {
		t.Errorf("endpoint %s, %v", at, err)
	}
	if _, err := table.Endpoint("ds-9"); err == nil {
		t.Error("an unknown shard has no endpoint")
	}
	sum := sha256.Sum256([]byte(good))
	if table.Digest != hex.EncodeToString(sum[:]) {
		t.Errorf("digest %s", table.Digest)
	}
}

func TestHandoverIsFollowedByTheRolesThatSeeIt(t *testing.T) {
	text := strings.Replace(good, `"handovers":[]`, handoverOf84, 1)
	worker, web := decode(t, text, "worker"), decode(t, text, "web")
	if got := worker.Route(1); got.Shard != "ds-0" || got.Epoch != 2 || len(worker.Announced) != 0 {
		t.Errorf("worker: %+v, announced %v", got, worker.Announced)
	}
	if got := web.Route(1); got.Shard != "ds-1" || got.Epoch != 1 || len(web.Announced) != 1 || web.Announced[0] != "ds-0" {
		t.Errorf("web: %+v, announced %v", got, web.Announced)
	}
}

func TestInvalidTables(t *testing.T) {
	for name, change := range map[string][2]string{
		"short map":         {`ds-1*50`, `ds-1*49`},
		"long map":          {`ds-1*50`, `ds-1*51`},
		"empty run":         {`ds-1*50`, `ds-1*50,`},
		"negative run":      {`ds-1*50`, `ds-1*51,ds-0*-1`},
		"unknown owner":     {`ds-1*50`, `ds-7*50`},
		"unknown pin":       {`"42":"ds-0"`, `"42":"ds-7"`},
		"unknown target":    {`"handovers":[]`, strings.Replace(handoverOf84, "ds-0", "ds-7", 1)},
		"handover outside":  {`"handovers":[]`, strings.Replace(handoverOf84, "60", "100", 1)},
		"short epochs":      {`1*100`, `1*99`},
		"epoch that is not": {`1*100`, `x*100`},
		"no buckets":        {`"buckets":100`, `"buckets":0`},
		"engine":            {`PostgreSQL`, `MySQL`},
		"hash":              {`MD5`, `CRC32`},
		"no order":          {`"revision":7`, `"revision":0`},
		"number as text":    {`"revision":7`, `"revision":"7"`},
		"half a document":   {`"writerEpoch":3}`, ``},
	} {
		text := strings.Replace(good, change[0], change[1], 1)
		if text == good {
			t.Fatalf("%s changes nothing", name)
		}
		if _, err := Decode([]byte(text), "web"); err == nil {
			t.Errorf("%s must be refused", name)
		}
	}
}

func TestFollows(t *testing.T) {
	first := decode(t, good, "web")
	for text, valid := range map[string]bool{
		strings.Replace(good, `"writerEpoch":3`, `"writerEpoch":4`, 1):                                                true,
		strings.Replace(good, `"writerEpoch":3`, `"writerEpoch":2`, 1):                                                false,
		strings.Replace(good, `MD5`, `Modulo`, 1):                                                                     false,
		strings.NewReplacer(`"writerEpoch":3`, `"writerEpoch":1`, `"incarnation":1`, `"incarnation":2`).Replace(good): true,
	} {
		if err := decode(t, text, "web").Follows(first); (err == nil) != valid {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestOrder(t *testing.T) {
	ascending := []Order{{1, 1, 1}, {1, 1, 2}, {1, 2, 1}, {2, 1, 1}}
	for i, a := range ascending {
		for j, b := range ascending {
			if a.Newer(b) != (i > j) {
				t.Errorf("%s newer than %s: %t", a, b, a.Newer(b))
			}
		}
	}
}

func TestRefusal(t *testing.T) {
	got := ParseRefusal(`{"bucket" : 9, "move" : null, "state" : "MOVED", "owner" : "ds-4", "epoch" : 12}`)
	if *got.Bucket != 9 || got.State != Moved || got.Owner != "ds-4" || got.Epoch != 12 {
		t.Errorf("%+v", got)
	}
	if got := ParseRefusal(""); got != (Refusal{}) {
		t.Errorf("%+v", got)
	}
	if got := ParseRefusal(`{"state":"ABSENT","owner":null,"epoch":null}`); got.State != "ABSENT" || got.Epoch != 0 {
		t.Errorf("%+v", got)
	}
}

func decode(t *testing.T, text, role string) *Table {
	t.Helper()
	table, err := Decode([]byte(text), role)
	if err != nil {
		t.Fatal(err)
	}
	return table
}
