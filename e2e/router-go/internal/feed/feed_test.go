package feed

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"shardwright.io/router-go/internal/contract"
)

const document = `{"bucketMap":"ds-0*100","buckets":100,"engine":"PostgreSQL","generation":%d,"handovers":[%s],"hash":"MD5",` +
	`"incarnation":1,"keyType":"Int64","revision":%d,"shards":{"ds-0":{"primary":{"host":"a","port":1}},` +
	`"ds-1":{"primary":{"host":"b","port":1}}},"writerEpoch":1}`

const announced = `{"buckets":[{"bucket":1,"epoch":2}],"to":"ds-1","visibleTo":[]}`

type shards struct{ down atomic.Bool }

func (s *shards) Warm(context.Context, contract.Endpoint) error {
	if s.down.Load() {
		return errors.New("down")
	}
	return nil
}

func (s *shards) Keep(*contract.Table) {}

func table(revision int, handovers string) []byte {
	return fmt.Appendf(nil, document, revision, handovers, revision)
}

func TestEvents(t *testing.T) {
	stream := ": heartbeat\n\nevent: table\nid: 1/2\ndata: one\ndata: two\n\nevent:positions\ndata:{}\n\nevent: table\ndata: cut"
	var got []string
	heard := 0
	_ = events(strings.NewReader(stream), func() { heard++ }, func(event string, data []byte) {
		got = append(got, event+"="+string(data))
	})
	if len(got) != 2 || got[0] != "table=one\ntwo" || got[1] != "positions={}" || heard != 12 {
		t.Errorf("%q, %d lines", got, heard)
	}
}

func TestAnnouncedHandoverWaitsForItsTarget(t *testing.T) {
	state, there := NewState(), &shards{}
	adopter := NewAdopter(state, there, "web")
	go adopter.Run(t.Context())
	adopter.Offer(table(1, ""))
	eventually(t, func() bool { return state.Table() != nil })
	there.down.Store(true)
	adopter.Offer(table(2, announced))
	eventually(t, func() bool { _, _, nack := state.report(); return strings.HasPrefix(nack, "TargetUnreachable") })
	if state.Table().Revision != 1 || state.Seen().Revision != 2 {
		t.Errorf("in use %s, seen %s", state.Table().Order, state.Seen())
	}
	there.down.Store(false)
	eventually(t, func() bool { _, _, nack := state.report(); return state.Table().Revision == 2 && nack == "" })
}

func TestOldestTransactionIsReported(t *testing.T) {
	state := NewState()
	adopter := NewAdopter(state, &shards{}, "web")
	go adopter.Run(t.Context())
	adopter.Offer(table(1, ""))
	eventually(t, func() bool { return state.Table() != nil })
	_, end := state.Begin()
	adopter.Offer(table(2, ""))
	adopter.Offer([]byte(`{"incarnation":1,"revision":3}`))
	eventually(t, func() bool { return state.Table().Revision == 2 })
	if _, oldest, _ := state.report(); oldest != 1 {
		t.Errorf("oldest %d", oldest)
	}
	end()
	if _, oldest, _ := state.report(); oldest != 2 {
		t.Errorf("oldest %d", oldest)
	}
}

func TestFollowsAndAcknowledgesOverTLS(t *testing.T) {
	acks := make(chan acknowledgement, 10)
	routes := http.NewServeMux()
	routes.HandleFunc("GET /v1/clusters/shop/orders/routing", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "event: table\nid: 1/5\ndata: %s\n\n", table(5, ""))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	routes.HandleFunc("POST /v1/clusters/shop/orders/acks", func(w http.ResponseWriter, r *http.Request) {
		var ack acknowledgement
		if r.Header.Get("Authorization") != "Bearer secret" || json.NewDecoder(r.Body).Decode(&ack) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		acks <- ack
		fmt.Fprint(w, `{"confirmed":true,"newest":{"incarnation":1,"revision":5,"generation":5}}`)
	})
	server := httptest.NewTLSServer(routes)
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	ca := file(t, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	operator, err := NewOperator([]string{server.URL}, "shop", "orders", ca, file(t, []byte("secret\n")))
	if err != nil {
		t.Fatal(err)
	}
	state := NewState()
	adopter := NewAdopter(state, &shards{}, "web")
	stream := &Stream{Operator: operator, Adopter: adopter}
	acknowledger := &Acknowledger{Operator: operator, State: state, Identity: Identity{Instance: "uid"}, Behind: stream.Behind}
	go adopter.Run(ctx)
	go stream.Run(ctx)
	go acknowledger.Run(ctx)
	select {
	case ack := <-acks:
		if ack.AppliedRevision != 5 || ack.InFlightOldest != 5 || ack.Instance != "uid" || ack.Nack != nil ||
			ack.Digest != state.Table().Digest {
			t.Errorf("%+v", ack)
		}
	case <-time.After(20 * time.Second):
		t.Error("no acknowledgement")
	}
}

func file(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not come to hold")
		}
	}
}
