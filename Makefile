# Thin lines over Maven; scripts/maven finds it and a JDK 25, or says what is missing.
.PHONY: test check fmt golden demo bench bench-peers bench-kubelet interop interop-versions interop-diff check-chart clean dist deb image packages check-dist check-deb check-image check-reproducible check-packages

test: ## build and pass all tests; ends with one line that counts them
	@scripts/test

check: test ## the whole truth: format, compile with all warnings as errors, tests

fmt: ## format the sources
	@scripts/maven -q spotless:apply

golden: ## rewrite the golden files; read the difference before committing it
	@scripts/maven -q test -Dgolden.update=true

demo: ## the main job on this machine
	@./patchbay demo

bench: ## figures into docs/performance.md; a quarter of an hour on a quiet machine
	@scripts/bench

bench-peers: ## the same measures beside Go plugins; needs root and Go: docs/performance.md
	@scripts/bench-peers

bench-kubelet: ## the kubelet side beside the kubelet's own code; needs Go: docs/performance.md
	@scripts/bench-kubelet

interop: ## the shipped agent under a real kubelet and containerd; needs root and Go: docs/guide/interop.md
	@scripts/interop

interop-diff: ## random sequences played to our kubelet and to Kubernetes' own code; needs Go: docs/guide/interop.md
	@scripts/interop-diff "$(SEQUENCES)" "$(SEED)" "$(SCRIPT)"

interop-versions: ## the same under the oldest and the newest kubelet
	@scripts/interop --versions

dist: ## dist/target/patchbay-VERSION-linux-ARCH.tar.gz
	@scripts/package tar

deb: ## the Debian package
	@scripts/package deb

image: ## the image as an OCI archive, which docker load reads too
	@scripts/package image

packages: ## all three, and SHA256SUMS
	@scripts/package

check-dist check-deb check-image: ## the packages as users get them, those that were made last; need root and tools: docs/guide/installing.md
	@scripts/$@

check-reproducible: ## the same commit built twice, compared file by file; a quarter of an hour
	@scripts/check-reproducible

check-packages: packages check-dist check-deb check-image ## made and tried

check-chart: ## the chart and the kustomizations as Helm and Kustomize render them; needs both: docs/guide/deploying.md
	@scripts/check-chart

clean:
	@scripts/maven -q clean
