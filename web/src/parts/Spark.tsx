import type { JSX } from "preact";

interface SparkProps {
  readonly values: readonly number[];
  /** What it shows, in words: the line itself says nothing to who cannot see it. */
  readonly label: string;
}

const WIDTH = 100;
const HEIGHT = 20;

/** A small line of what was, oldest first; its height is the largest value. */
export function Spark({ values, label }: SparkProps): JSX.Element {
  const most = Math.max(...values, 0);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, index) => {
    const height = most === 0 ? 0 : (value / most) * (HEIGHT - 2);
    return `${(index * step).toFixed(1)},${(HEIGHT - 1 - height).toFixed(1)}`;
  });
  const line = points.join(" ");
  return (
    <svg class="spark" role="img" aria-label={label} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
      {most === 0 ? null : <polygon points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />}
      <polyline points={line} />
    </svg>
  );
}
