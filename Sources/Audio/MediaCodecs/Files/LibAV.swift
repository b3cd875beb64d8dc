internal import CLibAV

/// FFmpeg's functions, opened with the first file.
///
/// Pointers to code that stays loaded and never changes, hence `Sendable` although Swift cannot see it.
struct LibAV: @unchecked Sendable {
    let functions: clibav_functions

    /// The system's libraries, loaded once. Throws `libraryMissing` with the name of the Debian package to install.
    static func loaded() throws(CodecError) -> LibAV { try system.get() }

    private static let system = Result { () throws(CodecError) in try LibAV(folder: "") }

    /// `folder` ends with a slash, or is empty for where the system looks.
    init(folder: String) throws(CodecError) {
        let capacity = 256
        var library = [CChar](repeating: 0, count: capacity)
        var package = library
        guard let functions = clibav_load(folder, &library, &package, Int32(capacity))?.pointee else {
            throw CodecError(
                .libraryMissing,
                """
                \(String(terminated: library)) cannot be loaded; sound files are read with it. \
                On Debian: apt-get install \(String(terminated: package))
                """)
        }
        self.functions = functions
        _ = functions.avformat_network_init()
        // What is worth saying is thrown; libav would write to the standard error as well.
        functions.av_log_set_level(AV_LOG_QUIET)
    }

    func message(_ status: Int32) -> String {
        var text = [CChar](repeating: 0, count: 128)
        _ = functions.av_strerror(status, &text, text.count)
        return String(terminated: text)
    }
}

extension String {
    /// What stands before the first zero.
    fileprivate init(terminated text: [CChar]) {
        self.init(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
