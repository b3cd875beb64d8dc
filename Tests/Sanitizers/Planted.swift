import Dispatch
import Synchronization

/// Shows that the sanitizer sees what it is there for, and nothing else: without an argument nothing is wrong, with `race` and with
/// `freed` there is.
@main
struct Planted {
    static func main() {
        let mutex = SharedList()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in for number in 0..<20_000 { mutex.add(number) } }
        switch CommandLine.arguments.dropFirst().first {
        case "race":
            let plain = SharedNumber()
            DispatchQueue.concurrentPerform(iterations: 8) { _ in for _ in 0..<20_000 { plain.value += 1 } }
            print(plain.value)
        case "freed":
            let pointer = UnsafeMutablePointer<Int>.allocate(capacity: 1)
            pointer.initialize(to: 1)
            pointer.deallocate()
            print(pointer.pointee)
        default: break
        }
    }
}

final class SharedList: Sendable {
    private let list = Mutex<[Int]>([])

    func add(_ number: Int) {
        list.withLock { list in
            list.append(number)
            if list.count > 100 { list = [] }
        }
    }
}

// No lock: that is the fault.
final class SharedNumber: @unchecked Sendable {
    var value = 0
}
