# Ovation. `make help` lists what there is; two commands need nothing else: `make serve` and `make test`.


.DEFAULT_GOAL := help
.PHONY: help serve serve-lan build test test-swift test-web test-browser lint format rows fuzz bench-start bench-audio bench-rooms bench-media bench-chat bench-line bench-against bench-duet bench-pages pages simulate soak soak-duet screenshots api wire docs archive dist test-dist mutate attack sanitize nightly clean

help: ## what the commands are
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

serve: ## build and run a server for this machine, with a demo application, on http://localhost:8080 (ARGS='--port 9000 …')
	@scripts/bootstrap build
	@scripts/build-server
	@exec .build/release/ovation serve --dev $(ARGS)

serve-lan: ## the same for phones on this network: own certificate, QR code, guests for this run
	@scripts/bootstrap build
	@scripts/build-server
	@exec .build/release/ovation serve --lan $(ARGS)

build: ## the release build alone: .build/release/ovation
	@scripts/bootstrap build
	@scripts/build-server

test: ## everything that must hold: sources, Swift, web, browsers
	@scripts/bootstrap test
	@scripts/test all

test-swift: ## the Swift tests alone (ARGS='--filter RoomRules')
	@scripts/bootstrap build
	@scripts/test swift $(ARGS)

test-web: ## the web SDK's tests alone, without a browser
	@scripts/bootstrap test
	@scripts/test web

test-browser: ## real Chromium and Firefox against a real server (ARGS='-k salon')
	@scripts/bootstrap test
	@scripts/test browser $(ARGS)

lint: ## formatting, module directions, banned calls, web types and style
	@scripts/bootstrap test
	@scripts/lint

format: ## rewrite the sources in the house format
	@scripts/bootstrap test
	@scripts/lint --fix

rows: ## each promised feature with the tests that prove it (ARGS='--missing')
	@scripts/rows $(ARGS)

fuzz: ## every parser under libFuzzer (SECONDS=30 each)
	@scripts/bootstrap build
	@scripts/fuzz $(or $(SECONDS),30)

bench-start: ## time until ready and resident memory of an idle server on an empty directory
	@scripts/bootstrap build
	@scripts/build-server
	@scripts/bench-start

bench-audio: ## what each effect and processor costs per block of sound
	@scripts/bootstrap build
	@scripts/bench-audio

bench-rooms: ## durable seat commands a second over hundreds of rooms, and a start with a thousand (ARGS='--rooms 1000 --at-once 4', '--only R2')
	@scripts/bench-rooms $(ARGS)

bench-media: ## what forwarding costs, how late it is, memory a listener; beside Janus and a floor (ARGS='--only M1', wants root)
	@scripts/bootstrap build
	@scripts/bench-media $(ARGS)

bench-chat: ## how late messages come and what they cost, idle lines, everybody coming back; beside nchan and a floor (ARGS='--only C1', wants root)
	@scripts/bootstrap build
	@scripts/bench-chat $(ARGS)

bench-line: ## what viewers see over narrow and changing lines, in virtual time, over drawn seeds (ARGS='--seeds 50 --only M6')
	@scripts/bootstrap build
	@scripts/bench-line $(ARGS)

bench-against: ## whether the server has become slower since a commit: both by turns under the same load (ARGS='HEAD~20 --only R1', wants root)
	@scripts/bootstrap build
	@scripts/bench-against $(ARGS)

bench-duet: ## singing together: delay between singers, starts, what the audience hears, browsers (ARGS='--only D2')
	@scripts/bootstrap build
	@scripts/bench-duet $(ARGS)

bench-pages: ## a first visit over a slow line, a live room's first sound and picture, a full salon's cost (ARGS='--only W1', WEB=Web)
	@scripts/bootstrap test
	@WEB=$(WEB) scripts/bench-pages $(ARGS)

soak: ## whether anything costs more the longer it lives: calls, turns, deliveries, media (ARGS='--scale 0.1')
	@scripts/bootstrap build
	@scripts/soak $(ARGS)

soak-duet: ## one hour of a virtual duet with clocks 100 ppm apart: no drift, no click (ARGS='--minutes 5')
	@scripts/bootstrap build
	@scripts/soak-duet $(ARGS)

mutate: ## break one guard or effect at a time and see which tests notice (ARGS='--sample 200', ARGS=--named)
	@scripts/bootstrap build
	@scripts/mutate $(ARGS)

attack: ## attacks against a release server: bystanders must hardly notice (ARGS='--only uploads,pings')
	@scripts/bootstrap test
	@scripts/build-server
	@swift build --product MediaAttack >/dev/null
	@.venv/bin/python Tests/Attacks/attack.py $(ARGS)

pages: ## the web app as it is released, bundled and packed, into .build-pages/web (serve it with --web-root)
	@scripts/bootstrap dist
	@scripts/pages $(ARGS)

dist: ## a tarball and a Debian package for machines without Swift, into .build-dist/out
	@scripts/bootstrap dist
	@scripts/dist $(ARGS)

test-dist: ## install, start, upgrade and remove those packages in a fresh Debian (needs root)
	@scripts/bootstrap test
	@scripts/bootstrap dist
	@.venv/bin/python Tests/Packages/try_packages.py

simulate: ## rooms, journal and ledger of one node under faults, a million steps (ARGS='--seed 2026', '--steps 5000000')
	@scripts/bootstrap build
	@scripts/simulate $(ARGS)

sanitize: ## the Swift tests under ThreadSanitizer and AddressSanitizer (an hour; ARGS='thread -- --filter MediaNodeTests')
	@scripts/bootstrap test
	@scripts/sanitize $(ARGS)

nightly: ## what takes longer than make test: packages, mutants, soaks, sanitizers, fuzzing (hours; ARGS='soak attack')
	@scripts/nightly $(ARGS)

screenshots: ## the pictures of the documentation, anew
	@scripts/bootstrap test
	@swift build --product ovation
	@.venv/bin/python Tests/EndToEnd/screens.py

api: ## the public API of the libraries, anew in Documentation/build/api; a test fails until a change of it stands there
	@scripts/api

wire: ## the web SDK's types of what servers take and send, anew in Web/protocol/wire.js; a test fails until they are those of the Swift side
	@scripts/wire

docs: ## where the documentation is; and the Swift SDK's as web pages, in .build/docs/ovation
	@sed -n '1,40p' Documentation/README.md
	@scripts/bootstrap build
	@scripts/docs

archive: ## the sources with all that they are built of, for machines without a network: .build/archive/ovation-….tar.gz (ARGS='--ref HEAD~1')
	@scripts/source-archive $(ARGS)

clean: ## remove what was built
	rm -rf .build .build-* .venv
