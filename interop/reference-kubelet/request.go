package main

import "encoding/json"

// request is one line of input. Each operation reads the keys that it knows.
type request struct {
	Op string `json:"op"`

	Config *config `json:"config"`

	Pod       json.RawMessage `json:"pod"`
	UID       string          `json:"uid"`
	Namespace string          `json:"namespace"`
	Name      string          `json:"name"`
	Container string          `json:"container"`

	Predicates *bool   `json:"predicates"`
	Phase      string  `json:"phase"`
	Ready      bool    `json:"ready"`
	Resource   string  `json:"resource"`
	Seconds    float64 `json:"seconds"`
	Prefix     string  `json:"prefix"`
}

// healthEvent is the line that nobody asked for: the status of these pods has to be looked at again.
type healthEvent struct {
	Event   string   `json:"event"`
	PodUIDs []string `json:"podUIDs"`
}
