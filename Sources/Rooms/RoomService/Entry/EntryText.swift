import RoomEvents
import RoomModel
import Synchronization

/// What everybody who enters is told alike, written once on one of the event loops.
package final class EntryText: SharedText {
    package let wireSize: Int
    private let written = Mutex<[UInt8]?>(nil)

    package init(wireSize: Int) { self.wireSize = wireSize }

    /// The others wait for the first: they would take as long to write it themselves.
    package func bytes(or write: () -> [UInt8]) -> [UInt8] {
        written.withLock { written in
            if let written { return written }
            let text = write()
            written = text
            return text
        }
    }
}
