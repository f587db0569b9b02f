// Package test plays each operation of the control protocol with the reference kubelet and a scripted plugin, as processes.
package test

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"sync"
	"testing"
	"time"
)

const patience = 30 * time.Second

// args are the keys of a request beside id and op.
type args map[string]any

// reply is a line that a process wrote.
type reply struct {
	ID     int             `json:"id"`
	OK     json.RawMessage `json:"ok"`
	Error  string          `json:"error"`
	Panic  bool            `json:"panic"`
	At     string          `json:"at"`
	Micros *int64          `json:"us"`

	Event   string   `json:"event"`
	PodUIDs []string `json:"podUIDs"`
}

// process speaks JSON lines.
type process struct {
	t      *testing.T
	name   string
	in     io.WriteCloser
	events chan reply
	ended  chan struct{}

	mutex   sync.Mutex
	newest  int
	waiting map[int]chan reply
}

func start(t *testing.T, path string) *process {
	t.Helper()
	command := exec.Command(path)
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, name: path, in: in, events: make(chan reply, 100), ended: make(chan struct{}), waiting: map[int]chan reply{}}
	go p.read(out)
	t.Cleanup(func() {
		_ = in.Close() // the end of its input ends it
		<-p.ended
		if err := command.Wait(); err != nil {
			t.Errorf("%s ended with %v", path, err)
		}
	})
	return p
}

func (p *process) read(out io.Reader) {
	defer close(p.ended)
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var of reply
		if err := json.Unmarshal(line, &of); err != nil {
			p.t.Errorf("%s wrote what is no reply: %s", p.name, line)
			return
		}
		if of.Event != "" {
			p.events <- of
			continue
		}
		p.mutex.Lock()
		to := p.waiting[of.ID]
		p.mutex.Unlock()
		to <- of
	}
}

// ask returns the reply, whatever it is.
func (p *process) ask(op string, with args) reply {
	p.t.Helper()
	answer := make(chan reply, 1)
	p.mutex.Lock()
	p.newest++
	line := args{"id": p.newest, "op": op}
	p.waiting[p.newest] = answer
	p.mutex.Unlock()
	for key, value := range with {
		line[key] = value
	}
	text, err := json.Marshal(line)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.in.Write(append(text, '\n')); err != nil {
		p.t.Fatal(err)
	}
	select {
	case of := <-answer:
		if of.Micros == nil {
			p.t.Errorf("%s does not say how long it took", op)
		}
		return of
	case <-time.After(patience):
		p.t.Fatalf("%s: %s has no answer", p.name, op)
		return reply{}
	}
}

// get returns the value of a reply that has to be one.
func get[T any](p *process, op string, with args) T {
	p.t.Helper()
	of := p.ask(op, with)
	var value T
	if of.Error != "" {
		p.t.Fatalf("%s: %s", op, of.Error)
	}
	if err := json.Unmarshal(of.OK, &value); err != nil {
		p.t.Fatalf("%s: %s is no %T", op, of.OK, value)
	}
	return value
}

// do is for what answers true.
func (p *process) do(op string, with args) {
	p.t.Helper()
	if !get[bool](p, op, with) {
		p.t.Fatalf("%s answers false", op)
	}
}

// await asks until the answer is right.
func await[T any](p *process, op string, with args, right func(T) bool) T {
	p.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		value := get[T](p, op, with)
		if right(value) {
			return value
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("%s still answers %v", op, value)
		}
	}
}
