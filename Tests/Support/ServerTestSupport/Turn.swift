/// Lets others run before something is looked at once more; ends what waits for it when the test's time is over.
package func nextTurn() async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    await Task.yield()
}
