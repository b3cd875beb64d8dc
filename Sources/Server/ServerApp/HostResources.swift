import DatagramIO
import Foundation
import Timing

/// What the host gives this process.
enum HostResources {
    /// How many the system lets this process use.
    static var processors: Int {
        let all = max(1, ProcessInfo.processInfo.activeProcessorCount)
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        return min(all, allowedProcessors(status) ?? all)
    }

    /// `taskset` and a unit's CPUAffinity, which Foundation does not look at: the ones in the mask of a process' state, such as
    /// `Cpus_allowed: ff,ffffffff`.
    static func allowedProcessors(_ status: String) -> Int? {
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("Cpus_allowed:") }) else {
            return nil
        }
        let count = line.dropFirst("Cpus_allowed:".count).reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) }
        return count > 0 ? count : nil
    }

    /// Raises the soft limit of open files to the hard one: each connection takes a descriptor, and the usual soft limit of 1,024
    /// would be the real limit of the server.
    /// - Returns: the limit that holds now.
    @discardableResult
    static func raiseDescriptorLimit() -> UInt64 {
        var limit = rlimit()
        #if os(Linux)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            setrlimit(resource, &limit)
            getrlimit(resource, &limit)
        }
        return UInt64(limit.rlim_cur)
    }

    /// Resident memory of this process in bytes; 0 where the host does not say.
    static var residentBytes: UInt64 {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ UInt64($0) })
        else { return 0 }
        return pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Open file descriptors of this process; 0 where the host does not say.
    static var openDescriptors: Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 1) - 1
    }

    /// Processor time of all threads of this process.
    static var processorSeconds: Double {
        var usage = rusage()
        #if os(Linux)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            getrusage(RUSAGE_SELF, &usage)
        #endif
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    static func size(of path: String) -> UInt64 {
        ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber)?.uint64Value ?? 0
    }

    /// Free for this user on the disk that has the file.
    static func freeBytes(at path: String) -> UInt64 {
        ((try? FileManager.default.attributesOfFileSystem(forPath: path))?[.systemFreeSize] as? NSNumber)?
            .uint64Value ?? 0
    }

    /// When this process was started, on the monotonic clock; `nil` where the host does not say.
    static var startedNanoseconds: Int64? {
        // Field 22 of /proc/self/stat, in clock ticks since the host's start; the name in field 2 may hold spaces.
        guard let text = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            let name = text.lastIndex(of: ")"),
            let ticks = text[name...].split(separator: " ").dropFirst(20).first.flatMap({ Int64($0) })
        else { return nil }
        let perSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
        // Ticks go on while the host sleeps, the monotonic clock does not.
        guard let uptime = try? String(contentsOfFile: "/proc/uptime", encoding: .utf8),
            let awakeAndAsleep = uptime.split(separator: " ").first.flatMap({ Double($0) })
        else { return nil }
        let asleep = Int64(awakeAndAsleep * 1e9) - SystemClock.now().nanoseconds
        return perSecond > 0 ? ticks * (1_000_000_000 / perSecond) - asleep : nil
    }

    /// IPv4 addresses of this host in the local network, those of a physical network first.
    static var lanAddresses: [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var addresses: [(name: String, address: String)] = []
        for interface in sequence(first: first, next: { $0?.pointee.ifa_next }) {
            guard let interface = interface?.pointee, let address = interface.ifa_addr,
                address.pointee.sa_family == sa_family_t(AF_INET),
                interface.ifa_flags & UInt32(IFF_UP) != 0, interface.ifa_flags & UInt32(IFF_LOOPBACK) == 0
            else { continue }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
                continue
            }
            addresses.append(
                (
                    String(cString: interface.ifa_name),
                    String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
                ))
        }
        // Bridges of containers and virtual machines are not where a phone is.
        let isVirtual = { (name: String) in
            ["docker", "br-", "veth", "virbr", "tun", "wg"].contains { name.hasPrefix($0) }
        }
        return (addresses.filter { !isVirtual($0.name) } + addresses.filter { isVirtual($0.name) }).map(\.address)
    }
}
