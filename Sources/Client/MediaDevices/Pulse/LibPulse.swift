internal import CPulse

/// PulseAudio's functions, opened with the first device.
///
/// Pointers to code that stays loaded and never changes, hence `Sendable` although Swift cannot see it.
struct LibPulse: @unchecked Sendable {
    let functions: cpulse_functions

    /// The system's library, loaded once. Throws `libraryMissing` with the name of the Debian package to install.
    static func loaded() throws(DeviceError) -> LibPulse { try system.get() }

    private static let system = Result { () throws(DeviceError) in try LibPulse(library: "libpulse.so.0") }

    init(library: String) throws(DeviceError) {
        guard let functions = cpulse_load(library)?.pointee else {
            throw DeviceError(
                .libraryMissing,
                "\(library) cannot be loaded; sound cards are used with it. On Debian: apt-get install libpulse0")
        }
        self.functions = functions
    }

    func message(_ status: Int32) -> String {
        functions.pa_strerror(abs(status)).map { String(cString: $0) } ?? "error \(status)"
    }
}
