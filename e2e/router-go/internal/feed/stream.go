package feed

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"time"

	"shardwright.io/router-go/internal/contract"
)

const (
	silence    = 15 * time.Second
	shortWait  = 200 * time.Millisecond
	longWait   = 5 * time.Second
	longestRow = 8 << 20
)

// Stream follows the operator's Server-Sent Events.
type Stream struct {
	Operator *Operator
	Adopter  *Adopter
	// TableFile is the mounted table: read while no replica answers. May be empty or missing.
	TableFile string

	mu   sync.Mutex
	drop context.CancelFunc
}

// Run reads until the context ends, at another replica after each failure.
func (s *Stream) Run(ctx context.Context) {
	wait := shortWait
	for replica := rand.IntN(len(s.Operator.feeds)); ctx.Err() == nil; replica++ {
		started := time.Now()
		err := s.follow(ctx, replica)
		slog.Info("stream ended", "reason", err)
		s.readFile()
		if time.Since(started) > silence {
			wait = shortWait
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait/2 + rand.N(wait)):
		}
		wait = min(2*wait, longWait)
	}
}

// Behind reconnects elsewhere if the newest table has not come soon.
func (s *Stream) Behind(newest contract.Order) {
	time.AfterFunc(time.Second, func() {
		if newest.Newer(s.Adopter.State.Seen()) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.drop != nil {
				s.drop()
			}
		}
	})
}

func (s *Stream) follow(parent context.Context, replica int) error {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	s.mu.Lock()
	s.drop = cancel
	s.mu.Unlock()
	request, err := s.Operator.request(ctx, replica, http.MethodGet, "routing", nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "text/event-stream")
	if seen := s.Adopter.State.Seen(); seen != (contract.Order{}) {
		request.Header.Set("Last-Event-ID", seen.EventID())
	}
	body, err := s.Operator.send(request)
	if err != nil {
		return err
	}
	defer body.Close()
	watchdog := time.AfterFunc(silence, cancel)
	defer watchdog.Stop()
	return events(body, func() { watchdog.Reset(silence) }, func(event string, data []byte) {
		if event == "table" {
			s.Adopter.Offer(data)
		}
	})
}

// events splits a stream into events; heard is called for every line, heartbeats included.
func events(body io.Reader, heard func(), handle func(event string, data []byte)) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 64<<10), longestRow)
	var event string
	var data [][]byte
	for lines.Scan() {
		heard()
		name, value, _ := bytes.Cut(lines.Bytes(), []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(lines.Bytes()) == 0:
			if len(data) > 0 {
				handle(event, bytes.Join(data, []byte("\n")))
			}
			event, data = "", nil
		case string(name) == "event":
			event = string(value)
		case string(name) == "data":
			data = append(data, bytes.Clone(value))
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return io.EOF
}

func (s *Stream) readFile() {
	if s.TableFile == "" {
		return
	}
	document, err := os.ReadFile(s.TableFile)
	if err != nil {
		return
	}
	s.Adopter.Offer(document)
}
