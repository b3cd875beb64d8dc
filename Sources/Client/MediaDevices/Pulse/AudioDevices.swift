internal import CPulse

/// A sound device of the machine.
package struct AudioDevice: Hashable, Sendable {
    package enum Kind: Sendable {
        case input, output
    }

    package let kind: Kind
    /// What `PulseInput` and `PulseOutput` are told.
    package let name: String
    /// For people, in their language.
    package let description: String
    /// Whether it hears what another device plays, instead of the room.
    package let isMonitor: Bool
    package let isDefault: Bool
}

package enum AudioDevices {
    /// What the sound server has, the defaults first. Waits for its answers, at most some seconds. Throws `libraryMissing` or
    /// `unavailable`.
    package static func list(server: String? = nil) throws(DeviceError) -> [AudioDevice] {
        let connection = try PulseConnection(server: server)
        let answer = Answer()
        // The answers come within `ask`, while `answer` is held here.
        let context = Unmanaged.passUnretained(answer).toOpaque()
        let functions = connection.pulse.functions
        try connection.ask { pulse in
            functions.pa_context_get_server_info(
                pulse,
                { _, info, context in
                    guard let info, let answer = Answer.of(context) else { return }
                    answer.defaultInput = String(optional: info.pointee.default_source_name)
                    answer.defaultOutput = String(optional: info.pointee.default_sink_name)
                }, context)
        }
        try connection.ask { pulse in
            functions.pa_context_get_sink_info_list(
                pulse,
                { _, info, isLast, context in
                    guard isLast == 0, let info, let answer = Answer.of(context) else { return }
                    answer.add(.output, info.pointee.name, info.pointee.description, isMonitor: false)
                }, context)
        }
        try connection.ask { pulse in
            functions.pa_context_get_source_info_list(
                pulse,
                { _, info, isLast, context in
                    guard isLast == 0, let info, let answer = Answer.of(context) else { return }
                    // The index of a monitored sink, or all ones.
                    let isMonitor = info.pointee.monitor_of_sink != UInt32.max
                    answer.add(.input, info.pointee.name, info.pointee.description, isMonitor: isMonitor)
                }, context)
        }
        return withExtendedLifetime(answer) {
            answer.devices.filter(\.isDefault) + answer.devices.filter { !$0.isDefault }
        }
    }

    /// What the callbacks fill, on the thread that asks.
    private final class Answer {
        var defaultInput = ""
        var defaultOutput = ""
        var devices: [AudioDevice] = []

        static func of(_ context: UnsafeMutableRawPointer?) -> Answer? {
            context.map { Unmanaged<Answer>.fromOpaque($0).takeUnretainedValue() }
        }

        func add(
            _ kind: AudioDevice.Kind, _ name: UnsafePointer<CChar>?, _ description: UnsafePointer<CChar>?,
            isMonitor: Bool
        ) {
            let name = String(optional: name)
            devices.append(
                AudioDevice(
                    kind: kind, name: name, description: String(optional: description), isMonitor: isMonitor,
                    isDefault: name == (kind == .input ? defaultInput : defaultOutput)))
        }
    }
}

extension String {
    fileprivate init(optional text: UnsafePointer<CChar>?) { self = text.map { String(cString: $0) } ?? "" }
}
