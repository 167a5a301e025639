// Package feed keeps the newest table and tells the operator which one is in use.
package feed

import (
	"sync"
	"sync/atomic"

	"shardwright.io/router-go/internal/contract"
)

// State is the table in use and the transactions that were routed by it or by older ones.
type State struct {
	current atomic.Pointer[contract.Table]
	changed chan struct{}

	mu   sync.Mutex
	open map[contract.Order]int
	seen contract.Order
	nack string
}

func NewState() *State {
	return &State{changed: make(chan struct{}, 1), open: make(map[contract.Order]int)}
}

// Table is the table in use, nil before the first one.
func (s *State) Table() *contract.Table {
	return s.current.Load()
}

// Begin gives the table for one transaction. It counts as open until the function is called.
func (s *State) Begin() (*contract.Table, func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	table := s.current.Load()
	s.open[table.Order]++
	return table, func() { s.end(table.Order) }
}

func (s *State) end(order contract.Order) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[order]--
	if s.open[order] > 0 {
		return
	}
	delete(s.open, order)
	if s.current.Load().Newer(order) {
		s.signal()
	}
}

// Changed is signalled when there is something new to acknowledge.
func (s *State) Changed() <-chan struct{} {
	return s.changed
}

// Refresh asks for an acknowledgement now: its answer tells whether there is a newer table.
func (s *State) Refresh() {
	s.signal()
}

func (s *State) signal() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// swap puts a table in use; reason is empty unless something about it has to be refused nevertheless.
func (s *State) swap(table *contract.Table, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current.Store(table)
	s.nack = reason
	s.signal()
}

// refuse keeps the table in use and says why.
func (s *State) refuse(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nack != reason {
		s.nack = reason
		s.signal()
	}
}

// see notes the order of a table that has been received, and whether it is the newest so far.
func (s *State) see(order contract.Order) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !order.Newer(s.seen) {
		return false
	}
	s.seen = order
	return true
}

// Seen is the newest order received, in use or not.
func (s *State) Seen() contract.Order {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// report is a consistent view for an acknowledgement: a transaction begins before or after it, never in between.
func (s *State) report() (table *contract.Table, inFlightOldest int64, nack string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	table = s.current.Load()
	if table == nil {
		return nil, 0, s.nack
	}
	oldest := table.Revision
	for order := range s.open {
		revision := order.Revision
		if order.Incarnation < table.Incarnation {
			revision = min(revision, table.Revision-1)
		}
		oldest = min(oldest, revision)
	}
	return table, oldest, s.nack
}
