internal import COpenSSL

/// OpenSSL refused something that does not depend on what a peer sends.
package struct DTLSError: Error, Sendable, CustomStringConvertible {
    package var message: String
    package var description: String { message }

    /// Takes the oldest entry off OpenSSL's error queue, and empties the queue.
    static func openSSL(during activity: String) -> DTLSError {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0 else { return DTLSError(message: "OpenSSL failed at \(activity)") }
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer -> String in
            guard let start = buffer.baseAddress else { return "" }
            ERR_error_string_n(code, start, buffer.count)
            return String(cString: start)
        }
        return DTLSError(message: "OpenSSL failed at \(activity): \(text)")
    }
}
