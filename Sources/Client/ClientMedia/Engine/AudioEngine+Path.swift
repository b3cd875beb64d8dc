internal import MediaCodecs

// The way to the server.

extension AudioEngine {
    /// Drops the present path, makes a new one and returns its first offer. `slots`: how many seats to hear.
    /// - Throws: why there is none; `path(.closed)` if it is not wanted any more when it is open: a later one was begun, or the path was to
    ///   be closed.
    package func openPath(slots: Int) throws(RoomAudioError) -> String {
        let (number, settings) = change { control in
            let number = path.begin()
            leavePath(control)
            return (number, control.settings)
        }
        let inbox = PacketInbox()
        let transport: MediaTransport
        var receivers: [SlotReceiver] = []
        do throws(RoomAudioError) {
            transport = try makePath(number, slots: slots, inbox)
            for slot in 0..<max(0, slots) { receivers.append(try Self.receiver(settings, slot)) }
        } catch {
            change { control in
                path.giveUp(number)
                // Those that ran for it, or for the one before it.
                runDevices(&control)
            }
            throw error
        }
        let isWanted = change { control in
            guard path.adopt(transport, of: number) else { return false }
            let settings = control.settings
            playout.with { $0.begin(receivers: receivers, inbox: inbox, settings: settings) }
            capture.with { side in
                side.emit = { transport.send($0, payload: $1) }
                side.readLoss = { transport.statistics.lossSent }
            }
            runDevices(&control)
            return true
        }
        guard isWanted else { throw .path(.closed) }
        return transport.offer()
    }

    private func makePath(_ number: Int, slots: Int, _ inbox: PacketInbox) throws(RoomAudioError) -> MediaTransport {
        do throws(MediaTransportError) {
            return try path.open(
                number,
                MediaTransport.Configuration(
                    slots: slots, localAddresses: configuration.localAddresses, usesTCP: configuration.usesTCP,
                    clock: configuration.clock)
            ) { inbox.push($0, $1) }
        } catch {
            throw .path(error)
        }
    }

    private static func receiver(_ settings: RoomAudioSettings, _ slot: Int) throws(RoomAudioError) -> SlotReceiver {
        do throws(CodecError) {
            return try SlotReceiver(delay: settings.delay(ofSlot: slot))
        } catch {
            throw .codec(error)
        }
    }

    /// Nothing is sent by the path any more, and nothing of it is heard.
    func leavePath(_ control: Control) {
        capture.with { side in
            side.emit = nil
            side.readLoss = nil
        }
        let settings = control.settings
        playout.with { $0.begin(receivers: [], inbox: nil, settings: settings) }
    }

    /// A later offer of the present path; nil without one. With `restartsICE` the way is looked for anew, while keys and
    /// streams stay: after `lost`, or on another network.
    package func offer(restartsICE: Bool) -> String? { path.transport?.offer(restartsICE: restartsICE) }

    /// Takes the server's answer to the newest offer.
    package func accept(answer: String) throws(RoomAudioError) {
        guard let transport = path.transport else { throw .path(.closed) }
        do throws(MediaTransportError) { try transport.accept(answer: answer) } catch { throw .path(error) }
    }

    /// Has the path say goodbye. Of its events one may still follow, which its thread is telling at this moment.
    package func closePath() {
        change { control in
            path.end()
            leavePath(control)
            runDevices(&control)
        }
    }

    package var isPathConnected: Bool { path.isConnected }
}
