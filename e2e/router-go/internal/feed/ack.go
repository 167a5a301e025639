package feed

import (
	"context"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"

	"shardwright.io/router-go/internal/contract"
)

const (
	ackGap     = 100 * time.Millisecond
	ackRetry   = time.Second
	ackEvery   = 10 * time.Second
	ackTimeout = 5 * time.Second
	longestNak = 2000
)

// Identity is who acknowledges.
type Identity struct {
	Instance string
	Boot     string
	Pod      string
	Role     string
	Process  string
}

// acknowledgement is the body of the call; Nack is null if nothing is refused.
type acknowledgement struct {
	Instance        string  `json:"instance"`
	Boot            string  `json:"boot"`
	Pod             string  `json:"pod"`
	Role            string  `json:"role"`
	Process         string  `json:"process"`
	Sequence        int64   `json:"sequence"`
	Incarnation     int64   `json:"incarnation"`
	AppliedRevision int64   `json:"appliedRevision"`
	Generation      int64   `json:"generation"`
	InFlightOldest  int64   `json:"inFlightOldest"`
	Digest          string  `json:"digest"`
	Nack            *string `json:"nack"`
	Client          string  `json:"client"`
}

type answer struct {
	Confirmed bool           `json:"confirmed"`
	Newest    contract.Order `json:"newest"`
}

// Acknowledger reports the state on every change and every ten seconds.
type Acknowledger struct {
	Operator *Operator
	State    *State
	Identity Identity
	// Behind hears the newest order of every confirmation.
	Behind func(newest contract.Order)

	sequence int64
	replica  int
}

// Run acknowledges until the context ends.
func (a *Acknowledger) Run(ctx context.Context) {
	for ctx.Err() == nil {
		wait := ackEvery - time.Second + rand.N(2*time.Second)
		if confirmed, err := a.acknowledge(ctx); err != nil || !confirmed {
			slog.Info("not confirmed", "reason", err)
			a.replica++
			wait = ackRetry/2 + rand.N(ackRetry)
		}
		pause(ctx, ackGap, nil)
		pause(ctx, wait, a.State.Changed())
	}
}

func (a *Acknowledger) acknowledge(ctx context.Context) (bool, error) {
	ack := a.next()
	if ack.AppliedRevision == 0 && ack.Nack == nil {
		return true, nil
	}
	body, err := json.Marshal(ack)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, ackTimeout)
	defer cancel()
	request, err := a.Operator.request(ctx, a.replica, http.MethodPost, "acks", body)
	if err != nil {
		return false, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := a.Operator.send(request)
	if err != nil {
		return false, err
	}
	defer response.Close()
	var heard answer
	if err := json.NewDecoder(response).Decode(&heard); err != nil {
		return false, err
	}
	if heard.Newest.Newer(a.State.Seen()) {
		a.Behind(heard.Newest)
	}
	return heard.Confirmed, nil
}

func (a *Acknowledger) next() acknowledgement {
	a.sequence++
	ack := acknowledgement{
		Instance: a.Identity.Instance,
		Boot:     a.Identity.Boot,
		Pod:      a.Identity.Pod,
		Role:     a.Identity.Role,
		Process:  a.Identity.Process,
		Sequence: a.sequence,
		Client:   "router-go",
	}
	table, oldest, nack := a.State.report()
	if table != nil {
		ack.Incarnation, ack.AppliedRevision, ack.Generation = table.Incarnation, table.Revision, table.Generation
		ack.Digest, ack.InFlightOldest = table.Digest, oldest
	}
	if nack != "" {
		nack = nack[:min(len(nack), longestNak)]
		ack.Nack = &nack
	}
	return ack
}

func pause(ctx context.Context, wait time.Duration, early <-chan struct{}) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-early:
	}
}
