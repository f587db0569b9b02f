# Thin lines over Maven; JDK 25 is found by scripts/find-jdk.
SHELL := /bin/bash
JDK := $(shell scripts/find-jdk)
ifeq ($(JDK),)
$(error no JDK 25)
endif
MVN := JAVA_HOME=$(JDK) mvn -B -ntp

.PHONY: test check fmt golden demo clean

test: ## build and pass all tests
	$(MVN) verify

check: test ## the whole truth: format, compile with all warnings as errors, tests

fmt: ## format the sources
	$(MVN) -q spotless:apply

golden: ## rewrite the golden files; read the difference before committing it
	$(MVN) -q test -Dgolden.update=true

demo: ## the main job on this machine
	./patchbay demo

clean:
	$(MVN) -q clean
