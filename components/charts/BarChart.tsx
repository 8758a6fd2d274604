import type { ComponentChildren } from "preact";
import ChartTooltip, { type TooltipBar } from "@/islands/ChartTooltip.tsx";
import {
  type Bar,
  type BarChartScale,
  type LaidOutBar,
  layOutBars,
  sum,
} from "@/lib/dashboard/charts/bar_layout.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Width of the widest character on the axis, a digit. */
const CHARACTER_WIDTH = 6.5;
/** Between an axis label and the bars. */
const GAP = 8;
/** Below the bars, for their first and last label. */
const BOTTOM = 20;

export interface BarChartProps extends Omit<BarChartScale, "limit"> {
  /** Names the chart and what its bars mean. */
  title: string;
  /** Names of the parts of a bar, from its foot up; empty if bars are not divided. */
  series: readonly string[];
  /** The part that is drawn in the color of errors. */
  errors?: number;
  /** A value to compare with, named for the legend. */
  limit?: { value: number; label: string } | undefined;
  /** Names the values before; without it they are not shown. */
  beforeLabel?: string | undefined;
  caption: ComponentChildren;
}

/**
 * Bars by day or week, divided into parts, rendered by the server. A script adds tooltips for pointer
 * and keyboard; the page has a table of the same values.
 */
export function BarChart(props: BarChartProps) {
  const { title, series, bars, height, limit, format, axis, beforeLabel, caption } = props;
  const layout = layOutBars({ bars, height, limit: limit?.value, format, axis });
  const longest = Math.max(...layout.ticks.map(({ text }) => text.length));
  const axisWidth = Math.ceil(longest * CHARACTER_WIDTH) + GAP;
  return (
    <figure class="card chart">
      <figcaption>{caption}</figcaption>
      <div class="chart-area">
        <svg class="chart-axis" width={axisWidth} height={height + BOTTOM} aria-hidden="true">
          {layout.ticks.map(({ y, text }) => (
            <text key={y} x={axisWidth - GAP} y={y + 4} text-anchor="end">{text}</text>
          ))}
        </svg>
        <div class="chart-plot">
          <svg width="100%" height={height + BOTTOM} role="img" aria-label={describe(props)}>
            <Hatching />
            {layout.ticks.map(({ y }) => (
              <line key={y} class="chart-grid" x1="0" x2="100%" y1={y} y2={y} />
            ))}
            {layout.bars.map((bar, n) => (
              <g key={n}>
                {/* Without a key, Fresh treats any <title> as the page's title. */}
                <title key="bar">{`${bars[n]!.label}: ${format(sum(bars[n]!.values))}`}</title>
                <rect
                  class="chart-space"
                  x={`${bar.left}%`}
                  width={`${bar.right - bar.left}%`}
                  y="0"
                  height={height}
                />
                <Segments bar={bar} errors={props.errors} />
              </g>
            ))}
            {beforeLabel !== undefined && <Before bars={layout.bars} />}
            {layout.limitY !== undefined && (
              <line class="chart-limit" x1="0" x2="100%" y1={layout.limitY} y2={layout.limitY} />
            )}
            <text x="0" y={height + BOTTOM - 4}>{bars[0]?.label}</text>
            <text x="100%" y={height + BOTTOM - 4} text-anchor="end">{bars.at(-1)?.label}</text>
          </svg>
          <ChartTooltip
            label={title}
            height={height}
            bars={bars.map((bar) => tooltipOf(bar, { series, format, beforeLabel }))}
          />
        </div>
      </div>
      <Legend
        beforeLabel={beforeLabel}
        limit={limit === undefined ? undefined : {
          text: `${limit.label}: ${format(limit.value)}`,
          isShown: layout.limitY !== undefined,
        }}
      />
    </figure>
  );
}

/** Every second part is hatched, so that neighbors differ without color. */
function Hatching() {
  return (
    <defs>
      <pattern
        id="chart-hatching"
        width="5"
        height="5"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect class="chart-hatch" width="1.5" height="5" />
      </pattern>
    </defs>
  );
}

function Segments({ bar, errors }: { bar: LaidOutBar; errors: number | undefined }) {
  return (
    <>
      {bar.segments.map(({ series, y, height }) => {
        const place = { x: `${bar.x}%`, width: `${bar.width}%`, y, height };
        const name = series === errors ? "chart-errors" : `series-${series}`;
        const isHatched = series % 2 === 1 && series !== errors;
        return (
          <g key={series}>
            <rect class={name} {...place} />
            {isHatched && <rect fill="url(#chart-hatching)" {...place} />}
          </g>
        );
      })}
    </>
  );
}

/** The period before, as a line of steps. */
function Before({ bars }: { bars: readonly LaidOutBar[] }) {
  return (
    <g class="chart-before">
      {bars.map(({ left, right, beforeY }, n) => {
        const next = bars[n + 1]?.beforeY;
        return beforeY !== undefined && (
          <g key={n}>
            <line x1={`${left}%`} x2={`${right}%`} y1={beforeY} y2={beforeY} />
            {next !== undefined && (
              <line x1={`${right}%`} x2={`${right}%`} y1={beforeY} y2={next} />
            )}
          </g>
        );
      })}
    </g>
  );
}

function Legend({ beforeLabel, limit }: {
  beforeLabel: string | undefined;
  limit: { text: string; isShown: boolean } | undefined;
}) {
  if (beforeLabel === undefined && limit === undefined) return null;
  return (
    <ul class="chart-legend">
      {beforeLabel !== undefined && (
        <li>
          <Line name="chart-before" /> {beforeLabel}
        </li>
      )}
      {limit?.isShown && (
        <li>
          <Line name="chart-limit" /> {limit.text}
        </li>
      )}
      {limit?.isShown === false && <li>{t("{text} (above the chart)", { text: limit.text })}</li>}
    </ul>
  );
}

function Line({ name }: { name: string }) {
  return (
    <svg width="20" height="8" aria-hidden="true">
      <line class={name} x1="0" x2="20" y1="4" y2="4" />
    </svg>
  );
}

function tooltipOf(
  { label, values, before }: Bar,
  { series, format, beforeLabel }: Pick<BarChartProps, "series" | "format" | "beforeLabel">,
): TooltipBar {
  const parts = values.map((value, n) => ({ series: n, name: series[n] ?? "", value }))
    .filter(({ value }) => value > 0)
    .map(({ value, ...part }) => ({ ...part, text: format(value) }));
  return {
    label,
    text: format(sum(values)),
    parts: series.length > 0 ? parts.reverse() : [],
    ...beforeLabel !== undefined && { before: `${beforeLabel}: ${format(before ?? 0)}` },
  };
}

function describe({ title, bars, format }: BarChartProps): string {
  const [first, last] = [bars[0]?.label ?? "", bars.at(-1)?.label ?? ""];
  const highest = bars.reduce<Bar | undefined>(
    (best, one) => sum(one.values) > sum(best?.values ?? []) ? one : best,
    undefined,
  );
  return highest === undefined
    ? t("{title}, {first} to {last}", { title, first, last })
    : t("{title}, {first} to {last}, highest on {label}: {values}", {
      title,
      first,
      last,
      label: highest.label,
      values: format(sum(highest.values)),
    });
}
