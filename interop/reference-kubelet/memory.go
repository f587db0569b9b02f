package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// residentMemory collects garbage, gives what is free back to the kernel, and reads what the kernel says then.
func residentMemory() (any, error) {
	before, err := kernelKiB("VmRSS")
	if err != nil {
		return nil, err
	}
	debug.FreeOSMemory()
	answer := map[string]int64{"rssBeforeKiB": before}
	for key, name := range map[string]string{"rssKiB": "VmRSS", "peakKiB": "VmHWM", "anonymousKiB": "RssAnon"} {
		if answer[key], err = kernelKiB(name); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

func kernelKiB(name string) (int64, error) {
	const path = "/proc/self/status"
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			return strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
		}
	}
	return 0, fmt.Errorf("no %s in %s", name, path)
}
