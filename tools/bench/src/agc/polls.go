// The long polls that `npm run bench -- agc` compares with: net/http of Go, a goroutine for each session. It reads a request from each
// line of its input, and writes a line for each answer, as remote.ts and client-methods.ts define them.
package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type endpoint struct {
	Protocol string
	Port     int
	Ca       string
}

type request struct {
	ID         int `json:"id"`
	Method     string
	Parameters struct {
		Endpoint  endpoint
		From, To  int
		Count     int
		TimeoutMs int
	}
}

type response struct {
	ID     int    `json:"id"`
	Result any    `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`
}

type answer struct {
	Body string
}

var (
	client  *http.Client
	output  sync.Mutex
	handled = make(chan [2]int64, 100_000)
	token   = "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9." + strings.Repeat("abcdefghijklmnopqrstuvwxyz0123456789", 27)[:963]
)

// Nanoseconds of CLOCK_MONOTONIC, which all processes share.
func sharedNow() int64 {
	const clockMonotonic = 1
	var at syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&at)), 0)
	return at.Nano()
}

func newClient(to endpoint) *http.Client {
	transport := &http.Transport{MaxIdleConnsPerHost: 100_000, ForceAttemptHTTP2: to.Protocol == "h2"}
	if to.Protocol != "tcp" {
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM([]byte(to.Ca))
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, ClientSessionCache: tls.NewLRUClientSessionCache(0)}
	}
	return &http.Client{Transport: transport}
}

func poll(to endpoint, runner int) {
	scheme := "https"
	if to.Protocol == "tcp" {
		scheme = "http"
	}
	url := fmt.Sprintf("%s://127.0.0.1:%d/message?sessionId=00000000-0000-4000-8000-%012d&status=Online&runnerVersion=2.335.1&os=Linux&architecture=X64", scheme, to.Port, runner)
	for {
		call, err := http.NewRequest("GET", url, nil)
		if err != nil {
			panic(err)
		}
		call.Header.Set("authorization", "Bearer "+token)
		reply, err := client.Do(call)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		bytes, err := io.ReadAll(reply.Body)
		reply.Body.Close()
		var envelope answer
		var body map[string]any
		if err != nil || json.Unmarshal(bytes, &envelope) != nil || json.Unmarshal([]byte(envelope.Body), &body) != nil {
			fmt.Fprintln(os.Stderr, "an answer cannot be read")
			return
		}
		handled <- [2]int64{int64(runner), sharedNow()}
	}
}

func memory() map[string]int64 {
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	field := func(name string) int64 {
		found := regexp.MustCompile(`(?m)^` + name + `:\s+(\d+) kB$`).FindSubmatch(status)
		value, _ := strconv.ParseInt(string(found[1]), 10, 64)
		return value * 1024
	}
	return map[string]int64{"anonymous": field("RssAnon"), "rss": field("VmRSS"), "heapUsed": 0}
}

func waitHandled(count int, timeout time.Duration) ([][2]int64, error) {
	late := time.After(timeout)
	answers := make([][2]int64, 0, count)
	for len(answers) < count {
		select {
		case one := <-handled:
			answers = append(answers, one)
		case <-late:
			return nil, fmt.Errorf("%d of %d answers were handled", len(answers), count)
		}
	}
	return answers, nil
}

func serve(call request) response {
	parameters := call.Parameters
	switch call.Method {
	case "open":
		if client == nil {
			client = newClient(parameters.Endpoint)
		}
		for runner := parameters.From; runner < parameters.To; runner++ {
			go poll(parameters.Endpoint, runner)
		}
		return response{ID: call.ID, Result: parameters.To - parameters.From}
	case "memory":
		return response{ID: call.ID, Result: memory()}
	case "handled":
		answers, err := waitHandled(parameters.Count, time.Duration(parameters.TimeoutMs)*time.Millisecond)
		if err != nil {
			return response{ID: call.ID, Error: err.Error()}
		}
		return response{ID: call.ID, Result: answers}
	}
	return response{ID: call.ID, Error: "unknown method"}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var call request
		if err := json.Unmarshal(lines.Bytes(), &call); err != nil {
			panic(err)
		}
		go func() {
			bytes, err := json.Marshal(serve(call))
			if err != nil {
				panic(err)
			}
			output.Lock()
			defer output.Unlock()
			fmt.Println(string(bytes))
		}()
	}
}
