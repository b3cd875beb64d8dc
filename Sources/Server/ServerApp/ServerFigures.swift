import DatagramIO
import Foundation
import MediaNode
import OperatorAPI
import RoomModel
import RoomService
import Signalling
import StoreSQLite
import Timing
import Webhooks

/// What Prometheus reads: figures of the moment, and counts since the start.
struct ServerFigures: Sendable {
    let store: SQLiteStore
    let rooms: RoomDirectory
    let sessions: SessionRegistry
    let requests: RequestCounters
    let media: MediaPlane
    let webhooks: WebhookService
    let connections: @Sendable () -> Int

    func text() async -> String {
        var metrics = MetricsText()
        process(&metrics)
        people(&metrics)
        storage(&metrics)
        if let counters = await media.counters() { Self.media(counters, &metrics) }
        await webhookFigures(&metrics)
        requests.write(to: &metrics)
        return metrics.text
    }

    private func process(_ metrics: inout MetricsText) {
        metrics.add(
            "ovation_build_info", "The version that runs.", .gauge,
            [(labels: [("version", ServerApplication.version)], value: 1)])
        metrics.add(
            "process_resident_memory_bytes", "Resident memory.", .gauge, HostResources.residentBytes)
        metrics.add("process_open_fds", "Open file descriptors.", .gauge, HostResources.openDescriptors)
        metrics.add("process_cpu_seconds_total", "Processor time.", .counter, HostResources.processorSeconds)
        if let started = HostResources.startedNanoseconds {
            let age = Interval(nanoseconds: ServerClock().now.nanoseconds - started).seconds
            metrics.add(
                "process_start_time_seconds", "When the process was started, in seconds since 1970.", .gauge,
                Date().timeIntervalSince1970 - age)
        }
    }

    private func people(_ metrics: inout MetricsText) {
        let totals = rooms.totals
        func family(_ name: String, _ help: String, _ value: (RoomTotals) -> Int) {
            metrics.add(
                name, help, .gauge,
                RoomKind.allCases.map { kind in
                    (labels: [("kind", kind.rawValue)], value: Double(value(totals[kind] ?? RoomTotals())))
                })
        }
        family("ovation_rooms", "Open rooms.") { $0.rooms }
        family("ovation_room_people", "People in rooms; somebody in two counts twice.") { $0.people }
        family("ovation_room_seated", "People on seats.") { $0.seated }
        metrics.add("ovation_connections", "Open WebSockets.", .gauge, connections())
        metrics.add("ovation_sessions", "Sessions, those included that wait for their client.", .gauge, sessions.count)
        metrics.add("ovation_users", "People who are signed in.", .gauge, sessions.users)
        let counters = rooms.counters
        metrics.add("ovation_messages_total", "Messages that were told.", .counter, counters.messages)
        metrics.add(
            "ovation_messages_refused_total", "Messages that a budget did not let through.", .counter,
            counters.refused)
        metrics.add(
            "ovation_room_changes_total", "Commands that changed a room, messages beside.", .counter,
            counters.changes)
    }

    private func storage(_ metrics: inout MetricsText) {
        let commits = store.commitCounts
        metrics.add("ovation_store_commits_total", "Transactions on the disk.", .counter, commits.commits)
        metrics.add(
            "ovation_store_commits_failed_total", "Transactions that failed: the disk is full, or broken.", .counter,
            commits.failedCommits)
        metrics.add("ovation_store_operations_total", "What they held.", .counter, commits.operations)
        metrics.add("ovation_store_bytes", "The file of the store.", .gauge, HostResources.size(of: store.path))
        metrics.add(
            "ovation_store_free_bytes", "Free on its disk.", .gauge, HostResources.freeBytes(at: store.path))
    }

    private static func media(_ counters: MediaCounters, _ metrics: inout MetricsText) {
        metrics.add("ovation_media_peers", "Media paths.", .gauge, counters.peers)
        metrics.add(
            "ovation_media_connected_peers", "Media paths on which something can go.", .gauge, counters.connectedPeers)
        metrics.add("ovation_media_stages", "Rooms on the media plane.", .gauge, counters.stages)
        metrics.add(
            "ovation_media_worker_load", "Share of its time that the busiest worker forwards, 0 to 1.", .gauge,
            counters.load)
        metrics.add(
            "ovation_media_received_total", "Datagrams that were received.", .counter, counters.sockets.received)
        metrics.add("ovation_media_sent_total", "Datagrams that were sent.", .counter, counters.sockets.sent)
        metrics.add(
            "ovation_media_sent_bytes_total", "What they held.", .counter, counters.sockets.sentBytes)
        metrics.add(
            "ovation_media_dropped_total", "Datagrams that were not sent.", .counter,
            [
                (labels: [("reason", "late")], value: Double(counters.sockets.droppedLate)),
                (labels: [("reason", "too_large")], value: Double(counters.sockets.droppedTooLarge)),
                (labels: [("reason", "refused")], value: Double(counters.sockets.droppedRefused)),
            ])
        metrics.add(
            "ovation_media_unknown_total", "Datagrams of nobody.", .counter, counters.unknownDatagrams)
        metrics.add(
            "ovation_media_overdue_total", "Packets that waited in this host for too long.", .counter,
            counters.mediaOverdue)
        metrics.add(
            "ovation_media_offers_total", "Offers of clients.", .counter,
            [
                (labels: [("answer", "answered")], value: Double(counters.offersAnswered)),
                (labels: [("answer", "refused")], value: Double(counters.offersRefused)),
            ])
    }

    private func webhookFigures(_ metrics: inout MetricsText) async {
        let totals = await webhooks.totals()
        metrics.add("ovation_webhooks", "Webhooks that are on.", .gauge, totals.on)
        metrics.add("ovation_webhooks_off", "Webhooks that are off.", .gauge, totals.off)
        metrics.add("ovation_webhook_waiting", "News that wait for receivers.", .gauge, totals.waiting)
        metrics.add("ovation_webhook_dead", "News that were given up.", .gauge, totals.dead)
        metrics.add(
            "ovation_webhook_bytes", "Bytes of news that wait or were given up.", .gauge, totals.bytes)
        metrics.add(
            "ovation_webhook_lost_total", "News that were not kept, since too many waited, or for too long.", .counter,
            totals.lost)
    }
}
