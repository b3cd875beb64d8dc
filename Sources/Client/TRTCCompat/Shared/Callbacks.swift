internal import Dispatch
internal import Foundation
internal import Ovation
internal import Platform

/// Receives the result of a call: 0 or a code of `TRTCCode`, and a message.
public typealias ActionCallback = (_ code: Int32, _ message: String) -> Void

/// Something of the app on its way to the callback queue.
///
/// @unchecked: as published, closures and delegates come from any thread and are used on the callback queue alone;
/// between the two only this box is passed on.
struct UncheckedTransfer<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// The queue on which an app hears everything, in order.
final class CallbackQueue: Sendable {
    private let serial = Mutex(CallbackQueue.serial(on: .main))

    /// A queue of the app may be concurrent: what happens one after the other is still heard so.
    private static func serial(on queue: DispatchQueue) -> DispatchQueue {
        DispatchQueue(label: "ovation.callbacks", target: queue)
    }

    /// What was told before goes out by the former queue first, however often the queue is changed: the new one waits for it.
    func use(_ queue: DispatchQueue) {
        let next = Self.serial(on: queue)
        next.suspend()
        let former = serial.withLock { serial in
            defer { serial = next }
            return serial
        }
        former.async { next.resume() }
    }

    func run(_ body: @escaping @Sendable () -> Void) { serial.withLock { $0.async(execute: body) } }

    /// A callback of the app that is called once, in order with everything else.
    func reply(_ callback: ActionCallback?) -> ActionReply {
        ActionReply(queue: self, callback: callback.map(UncheckedTransfer.init))
    }
}

/// Tells an app how its call went.
struct ActionReply: Sendable {
    fileprivate let queue: CallbackQueue
    fileprivate let callback: UncheckedTransfer<ActionCallback>?

    func callAsFunction(_ code: Int32 = TRTCCode.success, _ message: String = "success") {
        guard let callback else { return }
        queue.run { callback.value(code, message) }
    }

    /// With what became of a request.
    /// - Parameter message: of success.
    func answer<Value>(_ result: Result<Value, OvationError>, _ message: String = "success") {
        switch result {
        case .success: self(TRTCCode.success, message)
        case .failure(let error): self(error.outcome.code, error.outcome.message)
        }
    }
}

/// The delegate of an app, held weakly.
///
/// @unchecked: the reference is read and written under `lock`; what it refers to is called on the callback queue alone.
final class DelegateHolder<Delegate>: @unchecked Sendable {
    private let lock = NSLock()
    private weak var object: AnyObject?

    /// A protocol of classes cannot be said of a type parameter: whoever calls has one.
    func set(_ delegate: AnyObject?) { lock.withLock { object = delegate } }

    var delegate: Delegate? { lock.withLock { object } as? Delegate }
}

/// Names the callbacks that an app does not hear, once each: a delegate whose method is misspelt compiles, since every method has
/// an empty default, and would otherwise be silent for ever.
///
/// The defaults cannot know for whom they stand in; so whoever calls a delegate says so for the time of the call.
final class UnheardCallbacks: Sendable {
    @TaskLocal private static var current: UnheardCallbacks?

    private let names = Mutex<Set<String>>([])
    private let tell: @Sendable (String) -> Void

    init(tell: @escaping @Sendable (String) -> Void) { self.tell = tell }

    /// Calls a delegate.
    func watching(_ body: () -> Void) { Self.$current.withValue(self, operation: body) }

    /// From the default of a delegate's method.
    static func note(_ name: String = #function) { current?.note(name) }

    private func note(_ name: String) {
        guard names.withLock({ $0.insert(name).inserted }) else { return }
        tell("\(name) was called, but the delegate has no such method; look at its spelling if it should")
    }
}
