// Package load writes, and writes down what it wrote.
package load

import (
	"fmt"
	"os"
	"sync"
	"time"
)

const routerShift = 32

// Kind of an effect on one row.
type Kind string

const (
	Insert Kind = "INSERT"
	Update Kind = "UPDATE"
	Delete Kind = "DELETE"
)

// Mode in which the application meant a write.
type Mode string

const (
	Autocommit  Mode = "AUTOCOMMIT"
	Transaction Mode = "TRANSACTION"
)

// Outcome of an effect as the application heard it.
type Outcome string

const (
	Acknowledged Outcome = "ACKNOWLEDGED"
	Refused      Outcome = "REFUSED"
	Unknown      Outcome = "UNKNOWN"
)

// Effect is one effect on one row, as written down before it is sent.
type Effect struct {
	Tenant   int64
	Kind     Kind
	Row      string
	Mode     Mode
	Intended time.Time
}

// Ledger hands each line to the kernel before it returns, so that SIGKILL takes no record of what was sent.
type Ledger struct {
	mu   sync.Mutex
	file *os.File
	next int64
}

// OpenLedger appends to a file; the number of the router goes into every id.
func OpenLedger(path string, router uint16) (*Ledger, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	return &Ledger{file: file, next: int64(router)<<routerShift + 1}, nil
}

// Next is the id of an effect to come.
func (l *Ledger) Next() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := l.next
	l.next++
	return id
}

// Begin writes down what is about to be sent.
func (l *Ledger) Begin(id int64, e Effect) error {
	return l.append(fmt.Sprintf(">\t%d\t%d\t%s\t%s\t%s\t%d\n", id, e.Tenant, e.Kind, e.Row, e.Mode, e.Intended.UnixMicro()))
}

// End writes down what was heard.
func (l *Ledger) End(id int64, outcome Outcome) error {
	return l.append(fmt.Sprintf("=\t%d\t%s\t%d\n", id, outcome, time.Now().UnixMicro()))
}

func (l *Ledger) append(line string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.file.WriteString(line)
	return err
}
