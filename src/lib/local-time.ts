/**
 * A moment as people read it: in the time zone of this process, with its offset, as in `2026-01-02 13:00:00+01:00`.
 * Unix ms.
 */
export function localTime(ms: number): string {
  const offset = -new Date(ms).getTimezoneOffset();
  // Shifted, so that the fields of UTC are those of here.
  const [day = "", time = ""] = new Date(ms + offset * 60_000).toISOString().split("T");
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${day} ${time.slice(0, 8)}${offset < 0 ? "-" : "+"}${twoDigits(hours)}:${twoDigits(minutes)}`;
}

/** The same without the day: `13:00:00+01:00`. */
export const localTimeOfDay = (ms: number): string => localTime(ms).slice(11);

const twoDigits = (number: number): string => String(number).padStart(2, "0");
