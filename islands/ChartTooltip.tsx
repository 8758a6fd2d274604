import { useEffect, useRef, useState } from "preact/hooks";

export interface TooltipBar {
  label: string;
  /** The sum of its parts. */
  text: string;
  /** From the top of the bar down. */
  parts: { series: number; name: string; text: string }[];
  before?: string;
}

export interface ChartTooltipProps {
  label: string;
  /** Of the bars, in px. */
  height: number;
  bars: TooltipBar[];
}

/** Shows the values of the bar under the pointer. With the keyboard, arrow keys go from bar to bar. */
export default function ChartTooltip({ label, height, bars }: ChartTooltipProps) {
  const area = useRef<HTMLDivElement>(null);
  const [isReady, setReady] = useState(false);
  const [shown, setShown] = useState<number>();
  const [current, setCurrent] = useState(bars.length - 1);
  useEffect(() => setReady(true), []);
  if (!isReady || bars.length === 0) return null;

  function show(index: number): void {
    const inside = Math.max(0, Math.min(bars.length - 1, index));
    setShown(inside);
    setCurrent(inside);
  }
  function onPointer({ clientX }: PointerEvent): void {
    const { left, width } = area.current!.getBoundingClientRect();
    show(Math.floor((clientX - left) / width * bars.length));
  }
  function onKeyDown(event: KeyboardEvent): void {
    const target = {
      ArrowLeft: current - 1,
      ArrowDown: current - 1,
      ArrowRight: current + 1,
      ArrowUp: current + 1,
      Home: 0,
      End: bars.length - 1,
    }[event.key];
    if (event.key === "Escape") setShown(undefined);
    if (target === undefined) return;
    event.preventDefault();
    show(target);
  }
  const bar = bars[current]!;
  return (
    <>
      <div
        ref={area}
        class="chart-pointer"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={bars.length}
        aria-valuenow={current + 1}
        aria-valuetext={spoken(bar)}
        style={{ height: `${height}px` }}
        onPointerMove={onPointer}
        onPointerDown={onPointer}
        onPointerLeave={() => setShown(undefined)}
        onFocus={(event) => event.currentTarget.matches(":focus-visible") && show(current)}
        onBlur={() => setShown(undefined)}
        onKeyDown={onKeyDown}
      />
      {shown !== undefined && <Tooltip bar={bar} place={(shown + 0.5) / bars.length} />}
    </>
  );
}

/** `place` is its share of the chart's width. */
function Tooltip({ bar, place }: { bar: TooltipBar; place: number }) {
  const side = place < 0.5 ? "chart-tooltip-start" : "chart-tooltip-end";
  const style = place < 0.5 ? { left: `${place * 100}%` } : { right: `${(1 - place) * 100}%` };
  return (
    <div class={`chart-tooltip ${side}`} style={style} aria-hidden="true">
      <p>
        <span>{bar.label}</span> <strong>{bar.text}</strong>
      </p>
      {bar.parts.length > 0 && (
        <ul>
          {bar.parts.map(({ series, name, text }) => (
            <li key={series}>
              <svg width="10" height="10" aria-hidden="true">
                <rect class={`series-${series}`} width="10" height="10" />
                {series % 2 === 1 && <rect fill="url(#chart-hatching)" width="10" height="10" />}
              </svg>
              <span>{name}</span>
              <span>{text}</span>
            </li>
          ))}
        </ul>
      )}
      {bar.before !== undefined && <p class="help">{bar.before}</p>}
    </div>
  );
}

function spoken({ label, text, parts, before }: TooltipBar): string {
  const names = parts.map(({ name, text }) => `${name} ${text}`);
  return [`${label}: ${text}`, ...names, ...before === undefined ? [] : [before]].join(", ");
}
