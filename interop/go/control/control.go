// Package control carries a protocol of JSON lines: a request per line, {"id": …, "op": …, …}, and for each a reply, {"id": …, "ok": …, "us": …} or
// {"id": …, "error": …, "us": …}, in any order, plus lines that nobody asked for. us are the microseconds that carrying it out took.
package control

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Crash is a panic while a request was carried out.
type Crash struct {
	Cause any
	At    string // the function that panicked
}

func (c *Crash) Error() string { return fmt.Sprint(c.Cause) }

type answered struct {
	ID     json.RawMessage `json:"id"`
	OK     any             `json:"ok"` // null, too
	Micros int64           `json:"us"`
}

type failed struct {
	ID     json.RawMessage `json:"id"`
	Error  string          `json:"error"`
	Panic  bool            `json:"panic,omitempty"`
	At     string          `json:"at,omitempty"`
	Micros int64           `json:"us"`
}

// Wire writes whole lines, from any goroutine.
type Wire struct {
	mutex sync.Mutex
	out   io.Writer
}

// NewWire writes to out.
func NewWire(out io.Writer) *Wire { return &Wire{out: out} }

// Write writes one line, of a type that is JSON.
func (w *Wire) Write(line any) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line); err != nil {
		panic(err)
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	_, _ = w.out.Write(text.Bytes()) // nobody reads any more: the end of the input ends the process
}

func (w *Wire) reply(id json.RawMessage, took time.Duration, value any, err error) {
	if id == nil {
		id = json.RawMessage("null")
	}
	var crash *Crash
	switch {
	case err == nil:
		w.Write(answered{ID: id, OK: value, Micros: took.Microseconds()})
	case errors.As(err, &crash):
		w.Write(failed{ID: id, Error: crash.Error(), Panic: true, At: crash.At, Micros: took.Microseconds()})
	default:
		w.Write(failed{ID: id, Error: err.Error(), Micros: took.Microseconds()})
	}
}

// Serve has each request of in carried out in a goroutine of its own, and returns when in has ended; what is under way then is left. A line may be as
// long as it likes.
func Serve[R any](in io.Reader, wire *Wire, carryOut func(*R) (any, error), replied func(*R)) error {
	reader := bufio.NewReader(in)
	for {
		line, err := reader.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			go serveOne(line, wire, carryOut, replied)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func serveOne[R any](line []byte, wire *Wire, carryOut func(*R) (any, error), replied func(*R)) {
	var head struct {
		ID json.RawMessage `json:"id"`
	}
	request := new(R)
	if err := errors.Join(json.Unmarshal(line, &head), json.Unmarshal(line, request)); err != nil {
		wire.reply(head.ID, 0, nil, fmt.Errorf("this line is no request: %w", err))
		return
	}
	began := time.Now()
	value, err := orCrash(func() (any, error) { return carryOut(request) })
	wire.reply(head.ID, time.Since(began), value, err)
	replied(request)
}

// orCrash turns a panic into an error. What was locked stays locked.
func orCrash(do func() (any, error)) (value any, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			value, err = nil, &Crash{Cause: cause, At: panicked()}
		}
	}()
	return do()
}

// panicked names the first function on the stack above the runtime's own, while a panic is being recovered.
func panicked() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	inPanic := false
	for {
		frame, more := frames.Next()
		if inPanic && !strings.HasPrefix(frame.Function, "runtime.") {
			return frame.Function
		}
		inPanic = inPanic || frame.Function == "runtime.gopanic"
		if !more {
			return "unknown"
		}
	}
}
