const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** A size for people, such as `4.2 MiB`. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  for (; value >= 1_024 && unit < UNITS.length - 1; unit++) value /= 1_024;
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}
