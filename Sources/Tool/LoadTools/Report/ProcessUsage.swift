internal import Foundation

/// What a process has used, as Linux counts it.
package struct ProcessUsage: Sendable {
    /// User and system time.
    package let cpuSeconds: Double
    /// Its memory, with what it shares with others divided by their number.
    package let proportionalBytes: Int

    /// nil if there is no such process, or if it is somebody else's.
    package init?(of process: Int32) {
        // Behind the name, which may hold anything: state, then numbers (proc(5)).
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 13,
            let user = Double(fields[11]), let system = Double(fields[12]),
            let memory = try? String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8),
            let line = memory.split(separator: "\n").first(where: { $0.hasPrefix("Pss:") }),
            let kilobytes = Int(line.split(separator: " ")[1])
        else { return nil }
        cpuSeconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        proportionalBytes = kilobytes * 1024
    }
}

/// What the machine's processors have done since it started, in seconds.
package struct HostUsage: Sendable {
    package struct Core: Sendable {
        package var busy: Double
        /// Part of `busy`: what the kernel did for the network, whoever had caused it.
        package var softInterrupts: Double
        /// Taken by the host of a virtual machine.
        package var stolen: Double
    }

    package let cores: [Core]

    package init() {
        let tick = 1 / Double(sysconf(Int32(_SC_CLK_TCK)))
        let text = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
        cores = text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard let name = fields.first, name.hasPrefix("cpu"), name.count > 3, fields.count > 8 else { return nil }
            let numbers = fields.dropFirst().map { (Double($0) ?? 0) * tick }
            // user, nice, system, idle, iowait, irq, softirq, steal
            return Core(
                busy: numbers[0] + numbers[1] + numbers[2] + numbers[5] + numbers[6], softInterrupts: numbers[6],
                stolen: numbers[7])
        }
    }

    /// What was done since `earlier`.
    package func since(_ earlier: HostUsage) -> [Core] {
        zip(cores, earlier.cores).map { now, before in
            Core(
                busy: now.busy - before.busy, softInterrupts: now.softInterrupts - before.softInterrupts,
                stolen: now.stolen - before.stolen)
        }
    }
}

/// UDP datagrams that arrived in this network namespace while the receiver's buffer was full.
package func droppedByReaders() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/net/snmp", encoding: .utf8) else { return 0 }
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("Udp:") }.map { $0.split(separator: " ") }
    guard lines.count == 2, let column = lines[0].firstIndex(of: "RcvbufErrors"), column < lines[1].count else {
        return 0
    }
    return Int(lines[1][column]) ?? 0
}
