// Asynq as a peer of the benchmarks: reads one command a line, answers each with one line of JSON.
//
//	fill N                     brings the queue up to N pending tasks
//	run C warmMs windowMs      works on them with concurrency C; answers what was done within the window:
//	                           the warm-up begins with the first task, the window has one at least
//	latency C perSecond workMs seconds
//	                           enqueues at random intervals (Poisson) and answers enqueue-to-start times
//	clear                      empties the queue
//
// Tasks are filled over the direct address, so that a delayed round trip burdens the worker alone.
// All settings are asynq's defaults.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hibiken/asynq"
)

const queue = "bench"

type peer struct {
	fillAt, workAt asynq.RedisClientOpt
	client         *asynq.Client
	inspector      *asynq.Inspector
}

func main() {
	at := func(port string) asynq.RedisClientOpt { return asynq.RedisClientOpt{Addr: "127.0.0.1:" + port} }
	p := &peer{fillAt: at(os.Args[1]), workAt: at(os.Args[2])}
	p.client = asynq.NewClient(p.fillAt)
	p.inspector = asynq.NewInspector(p.fillAt)
	say(map[string]any{"ready": true})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		answer, err := p.obey(strings.Fields(lines.Text()))
		if err != nil {
			answer = map[string]any{"error": err.Error()}
		}
		say(answer)
	}
}

func say(answer map[string]any) {
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		os.Exit(1)
	}
}

func (p *peer) obey(words []string) (map[string]any, error) {
	if len(words) == 0 {
		return nil, errors.New("an empty command")
	}
	n := make([]int, 0, len(words)-1)
	for _, word := range words[1:] {
		v, err := strconv.Atoi(word)
		if err != nil {
			return nil, err
		}
		n = append(n, v)
	}
	switch {
	case words[0] == "fill" && len(n) == 1:
		return p.fill(n[0])
	case words[0] == "run" && len(n) == 3:
		return p.run(n[0], millis(n[1]), millis(n[2]))
	case words[0] == "latency" && len(n) == 4:
		return p.latency(n[0], n[1], millis(n[2]), time.Duration(n[3])*time.Second)
	case words[0] == "clear":
		// Not DeleteQueue: the client announces a queue once, so a deleted one would stay unknown.
		removed, err := p.inspector.DeleteAllPendingTasks(queue)
		return map[string]any{"removed": removed}, err
	}
	return nil, fmt.Errorf("unknown command %q", words)
}

func millis(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func (p *peer) pending() (int, error) {
	known, err := p.inspector.Queues()
	if err != nil || !slices.Contains(known, queue) {
		return 0, err
	}
	info, err := p.inspector.GetQueueInfo(queue)
	if err != nil {
		return 0, err
	}
	return info.Pending, nil
}

func (p *peer) fill(wanted int) (map[string]any, error) {
	have, err := p.pending()
	if err != nil {
		return nil, err
	}
	var missing atomic.Int64
	missing.Store(int64(wanted - have))
	var failure atomic.Value
	var group sync.WaitGroup
	for range 32 {
		group.Go(func() {
			for missing.Add(-1) >= 0 {
				if _, err := p.client.Enqueue(asynq.NewTask("noop", nil), asynq.Queue(queue)); err != nil {
					failure.Store(err)
					return
				}
			}
		})
	}
	group.Wait()
	if err, failed := failure.Load().(error); failed {
		return nil, err
	}
	have, err = p.pending()
	return map[string]any{"waiting": have}, err
}

func (p *peer) serve(concurrency int, handler asynq.HandlerFunc) (*asynq.Server, error) {
	server := asynq.NewServer(p.workAt, asynq.Config{
		Concurrency: concurrency,
		Queues:      map[string]int{queue: 1},
		LogLevel:    asynq.ErrorLevel,
	})
	return server, server.Start(handler)
}

func (p *peer) run(concurrency int, warm, window time.Duration) (map[string]any, error) {
	var started atomic.Int64
	server, err := p.serve(concurrency, func(context.Context, *asynq.Task) error {
		started.Add(1)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = awaitOne(&started, 0)
	time.Sleep(warm)
	before, from := started.Load(), time.Now()
	time.Sleep(window)
	err = errors.Join(err, awaitOne(&started, before))
	done, seconds := started.Load()-before, time.Since(from).Seconds()
	server.Shutdown()
	left, failure := p.pending()
	return map[string]any{"done": done, "seconds": seconds, "left": left}, errors.Join(err, failure)
}

// A starved machine may not come to a single task within the time.
func awaitOne(started *atomic.Int64, before int64) error {
	for patience := time.Now().Add(time.Minute); started.Load() == before; time.Sleep(time.Millisecond) {
		if time.Now().After(patience) {
			return errors.New("no task within a minute")
		}
	}
	return nil
}

func (p *peer) latency(concurrency, perSecond int, work, span time.Duration) (map[string]any, error) {
	origin := time.Now()
	var mutex sync.Mutex
	micros := []int64{}
	server, err := p.serve(concurrency, func(_ context.Context, task *asynq.Task) error {
		waited := time.Since(origin) - time.Duration(binary.LittleEndian.Uint64(task.Payload()))
		mutex.Lock()
		micros = append(micros, waited.Microseconds())
		mutex.Unlock()
		time.Sleep(work)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var sending sync.WaitGroup
	var failed atomic.Int64
	sent := 0
	for due := time.Now(); due.Before(origin.Add(span)); sent++ {
		time.Sleep(time.Until(due))
		sending.Go(func() {
			stamp := binary.LittleEndian.AppendUint64(nil, uint64(time.Since(origin)))
			if _, err := p.client.Enqueue(asynq.NewTask("noop", stamp), asynq.Queue(queue)); err != nil {
				failed.Add(1)
			}
		})
		due = due.Add(time.Duration(rand.ExpFloat64() / float64(perSecond) * float64(time.Second)))
	}
	sending.Wait()
	started := func() int {
		mutex.Lock()
		defer mutex.Unlock()
		return len(micros)
	}
	for patience := time.Now().Add(5 * time.Second); started() < sent && time.Now().Before(patience); {
		time.Sleep(20 * time.Millisecond)
	}
	server.Shutdown()
	if failed.Load() > 0 {
		return nil, fmt.Errorf("%d of %d tasks could not be enqueued", failed.Load(), sent)
	}
	return map[string]any{"sent": sent, "micros": micros}, nil
}
