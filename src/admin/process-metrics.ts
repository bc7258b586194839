import { readdir, readFile } from "node:fs/promises";
import { getHeapSpaceStatistics } from "node:v8";
import type { Family } from "./exposition.ts";
import type { Sample } from "./tally.ts";

/**
 * What the system and Node say of this process, under the names that Prometheus's clients use. All of it is asked when
 * it is wanted; nothing watches meanwhile, as an observer of garbage collections would at every one of them. What a
 * system cannot say is left out. Never rejects.
 */
export async function processMetrics(): Promise<readonly Family[]> {
  const [status, limits, files] = await Promise.all([
    readFile("/proc/self/status", "utf8").catch(() => ""),
    readFile("/proc/self/limits", "utf8").catch(() => ""),
    readdir("/proc/self/fd").catch(() => []),
  ]);
  const { user, system } = process.cpuUsage();
  const { heapTotal, heapUsed, external, rss } = process.memoryUsage();
  const [major = "", minor = "", patch = ""] = process.versions.node.split(".");
  const kilobytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, "m").exec(status)?.[1]) * 1024;
  const seconds = (micros: number): number => micros / 1e6;
  const started = Math.round(Date.now() / 1000 - process.uptime());
  const version = { labels: [process.version, major, minor, patch], value: 1 };
  return [
    one("counter", "process_cpu_user_seconds_total", "Total user CPU time spent in seconds.", seconds(user)),
    one("counter", "process_cpu_system_seconds_total", "Total system CPU time spent in seconds.", seconds(system)),
    one(
      "counter",
      "process_cpu_seconds_total",
      "Total user and system CPU time spent in seconds.",
      seconds(user + system),
    ),
    one("gauge", "process_start_time_seconds", "Start time of the process since unix epoch in seconds.", started),
    one("gauge", "process_resident_memory_bytes", "Resident memory size in bytes.", rss),
    one("gauge", "process_virtual_memory_bytes", "Virtual memory size in bytes.", kilobytes("VmSize")),
    one("gauge", "process_heap_bytes", "Process heap size in bytes.", kilobytes("VmData")),
    // One is the folder that was read.
    one("gauge", "process_open_fds", "Number of open file descriptors.", files.length === 0 ? NaN : files.length - 1),
    one(
      "gauge",
      "process_max_fds",
      "Maximum number of open file descriptors.",
      Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]),
    ),
    ...resources(),
    one("gauge", "nodejs_heap_size_total_bytes", "Process heap size from Node.js in bytes.", heapTotal),
    one("gauge", "nodejs_heap_size_used_bytes", "Process heap size used from Node.js in bytes.", heapUsed),
    one("gauge", "nodejs_external_memory_bytes", "Node.js external memory size in bytes.", external),
    ...heapSpaces(),
    gauge("nodejs_version_info", "Node.js version info.", ["version", "major", "minor", "patch"], [version]),
  ].filter(({ samples }) => samples.length > 0);
}

function resources(): readonly Family[] {
  const found = process.getActiveResourcesInfo();
  const counts = Map.groupBy(found, (type) => type);
  const samples = [...counts].map(([type, { length }]) => ({ labels: [type], value: length }));
  return [
    gauge("nodejs_active_resources", "What keeps the event loop alive, by its type.", ["type"], samples),
    one("gauge", "nodejs_active_resources_total", "Total number of active resources.", found.length),
  ];
}

function heapSpaces(): readonly Family[] {
  const spaces = getHeapSpaceStatistics();
  return (["size", "used_size", "available_size"] as const).map((field) => {
    const which = field === "size" ? "total" : field.replace("_size", "");
    const samples = spaces.map((space) => ({
      labels: [space.space_name.replace(/_space$/, "")],
      value: space[`space_${field}`],
    }));
    return gauge(
      `nodejs_heap_space_size_${which}_bytes`,
      `Process heap space size ${which} from Node.js in bytes.`,
      ["space"],
      samples,
    );
  });
}

const gauge = (name: string, help: string, labels: readonly string[], samples: readonly Sample<number>[]): Family => ({
  is: "gauge",
  name,
  help,
  labels,
  samples,
});

/** NaN: nobody knows. */
const one = (is: "counter" | "gauge", name: string, help: string, value: number): Family => ({
  is,
  name,
  help,
  labels: [],
  samples: Number.isNaN(value) ? [] : [{ labels: [], value }],
});
