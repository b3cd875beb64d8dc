import Foundation
import SignalProtocol

/// Signalling messages: any bytes are a call, or a refusal that can be answered.
package func fuzzSignal(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = start.map { Data(bytes: $0, count: count) } ?? Data()
    do throws(CallFailure) {
        _ = try Call.decode(text)
    } catch {
        precondition(!Answer.failure(error.id, error.error).isEmpty)
    }
    return 0
}
