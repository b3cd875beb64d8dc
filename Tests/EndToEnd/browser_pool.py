"""Chromium processes that serve one person after the other. A start with an empty cache costs as much as a short story."""

import atexit
import collections
import threading

# More would only lie in memory: few stories have more people than this.
IDLE = 4

# What a page may have kept, but for the pages' own files.
KEPT = "cookies,local_storage,indexeddb,websql,service_workers,cache_storage,file_systems"


class Pool:
    """WebDriver's sessions by what their browsers were started with. Several threads take and give."""

    def __init__(self):
        self._lock = threading.Lock()
        self._idle = collections.OrderedDict()
        atexit.register(self.close)

    def take(self, kind):
        """A clean browser of that kind and the file that its microphone plays, or nothing."""
        with self._lock:
            waiting = self._idle.get(kind)
            if not waiting:
                return None
            found = waiting.pop()
            if not waiting:
                del self._idle[kind]
            return found

    def give(self, kind, driver, sound, origins):
        """Cleans the browser and keeps it for the next person; the one that has waited longest goes for it."""
        tidy(driver, origins)
        leaving = None
        with self._lock:
            self._idle.setdefault(kind, []).append((driver, sound))
            self._idle.move_to_end(kind)
            if sum(map(len, self._idle.values())) > IDLE:
                oldest = next(iter(self._idle))
                leaving, _ = self._idle[oldest].pop(0)
                if not self._idle[oldest]:
                    del self._idle[oldest]
        if leaving:
            leaving.quit()

    def close(self):
        with self._lock:
            drivers = [driver for waiting in self._idle.values() for driver, _ in waiting]
            self._idle.clear()
        for driver in drivers:
            driver.quit()


def tidy(driver, origins):
    """What belongs to a page (emulation, scripts, conditions of its line, its session's storage) goes with it; the rest is cleared."""
    used = driver.window_handles
    driver.switch_to.new_window("tab")
    fresh = driver.current_window_handle
    for handle in used:
        driver.switch_to.window(handle)
        driver.close()
    driver.switch_to.window(fresh)
    for origin in origins:
        driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": KEPT})
    driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    driver.execute_cdp_cmd("Browser.resetPermissions", {})
    driver.get_log("browser")
