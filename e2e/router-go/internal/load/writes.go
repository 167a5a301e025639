package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/jackc/pgx/v5"

	"shardwright.io/router-go/internal/shard"
)

const (
	insert = "INSERT INTO orders (tenant_id, reference, total_cents) VALUES ($1, $2, $3)"
	update = "UPDATE orders SET total_cents = $3 WHERE tenant_id = $1 AND reference = $2"
	remove = "DELETE FROM orders WHERE tenant_id = $1 AND reference = $2"

	percentInserts = 60
	percentUpdates = 25
)

// errNoRow: a write of a row that is known to exist met none. It must never be taken for success.
var errNoRow = errors.New("the row is not there")

type row struct {
	tenant    int64
	reference string
}

// rows are the own rows that no write is busy with.
type rows struct {
	mu   sync.Mutex
	idle []row
}

func (r *rows) put(added row) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.idle = append(r.idle, added)
}

func (r *rows) take() (row, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.idle) == 0 {
		return row{}, false
	}
	at, last := rand.IntN(len(r.idle)), len(r.idle)-1
	taken := r.idle[at]
	r.idle[at] = r.idle[last]
	r.idle = r.idle[:last]
	return taken, true
}

// choose picks the next write: a new row, or one of the own rows.
func (l *Loop) choose(id int64) (Kind, row) {
	dice := rand.IntN(100)
	if dice >= percentInserts {
		if existing, ok := l.rows.take(); ok {
			if dice < percentInserts+percentUpdates {
				return Update, existing
			}
			return Delete, existing
		}
	}
	return Insert, row{tenant: l.Tenants[rand.IntN(len(l.Tenants))], reference: fmt.Sprintf("w-o-go-%d", id)}
}

func work(kind Kind, r row, id int64) shard.Work {
	return func(ctx context.Context, tx pgx.Tx) error {
		sql, arguments := remove, []any{r.tenant, r.reference}
		switch kind {
		case Insert:
			sql, arguments = insert, append(arguments, id)
		case Update:
			sql, arguments = update, append(arguments, id)
		}
		tag, err := tx.Exec(ctx, sql, arguments...)
		if err == nil && tag.RowsAffected() != 1 {
			return errNoRow
		}
		return err
	}
}

// settle gives a row back if it certainly exists after the write.
func (l *Loop) settle(kind Kind, r row, outcome Outcome, err error) {
	exists := outcome == Acknowledged && kind != Delete || outcome == Refused && kind != Insert
	if exists && !errors.Is(err, errNoRow) {
		l.rows.put(r)
	}
}
