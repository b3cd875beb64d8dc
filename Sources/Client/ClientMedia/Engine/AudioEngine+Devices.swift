package import MediaDevices

// Microphone and loudspeaker. They are started and stopped aside: whoever changes anything else meanwhile does not wait, and it holds when
// they run. Calls that throw wait for their own device.

extension AudioEngine {
    /// Where sound is captured from now on; nil for none.
    package func setInput(_ device: (any AudioInputDevice)?) throws(RoomAudioError) { try setInput { _ in device } }

    /// - Parameter make: gives the device; what it is given is called once if the device goes away while it runs, on any thread. Then
    ///   `inputLost` tells so, and the device is tried again until it is there.
    package func setInput(
        _ make: (_ onFailure: @escaping @Sendable (DeviceError) -> Void) -> (any AudioInputDevice)?
    ) throws(RoomAudioError) {
        try DeviceAnswer.wait { reply in
            change { control in
                control.devices.chooseInput(make)
                runDevices(&control, onInput: reply)
            }
        }
    }

    /// Where sound is played from now on; at first nowhere, in time with the clock. A device that is not needed yet is started later;
    /// if it does not start then, `outputFailed` tells so.
    package func setOutput(_ device: any AudioOutputDevice) throws(RoomAudioError) { try setOutput { _ in device } }

    /// - Parameter make: as with an input; `outputFailed` tells of a device that went away, which is not tried again.
    package func setOutput(
        _ make: (_ onFailure: @escaping @Sendable (DeviceError) -> Void) -> any AudioOutputDevice
    ) throws(RoomAudioError) {
        try DeviceAnswer.wait { reply in
            change { control in
                control.devices.chooseOutput(make)
                runDevices(&control, onOutput: reply)
            }
        }
    }

    /// Captures from now on, and sends as soon as there is a path.
    package func startMicrophone() throws(RoomAudioError) {
        try DeviceAnswer.wait { reply in startMicrophone { reply($0.map { .failed($0) } ?? .done) } }
    }

    /// A microphone that was lost is tried at once; if it is still away, it goes on being tried until it is there. One that was not there
    /// from the start is not tried before somebody asks again.
    /// - Parameter done: called once, without a lock, when the microphone captures, did not start, or is not wanted any more.
    package func startMicrophone(_ done: @escaping @Sendable (RoomAudioError?) -> Void) {
        change { control in
            let wish = control.devices.wishMicrophone()
            runDevices(&control) { [weak self] outcome in
                switch outcome {
                case .done, .withdrawn: done(nil)
                case .lost(let error): done(self?.isLast(wish) ?? false ? error : nil)
                case .failed(let error): done(self?.giveUp(wish) ?? false ? error : nil)
                }
            }
        }
    }

    private func isLast(_ wish: Int) -> Bool { control.with { $0.devices.microphone == wish } }

    /// - Returns: whether that wish was the last.
    private func giveUp(_ wish: Int) -> Bool {
        change { control in
            guard control.devices.microphone == wish else { return false }
            control.devices.dropMicrophone()
            runDevices(&control)
            return true
        }
    }

    package func stopMicrophone() {
        change { control in
            control.devices.dropMicrophone()
            runDevices(&control)
        }
    }

    /// Whether the microphone captures, or would if one were chosen.
    package var isMicrophoneOn: Bool { control.with { $0.devices.isMicrophoneOn } }

    /// Returns when all devices are as they are wanted.
    package func settleDevices() { control.with { $0.devices }.settle() }
}
