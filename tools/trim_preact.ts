/** Properties that are always undefined: the widget has no class components, contexts or option hooks. */
const UNDEFINED_PROPS =
  /\b\w+\.(component(Will|Did)\w+|shouldComponentUpdate|getDerived\w+|getSnapshotBeforeUpdate|getChildContext|contextType|defaultProps|diffed|unmount|debounceRendering|vnode)\b/g;

/** Hooks for devtools and plugins in Preact's `options`, of which only the error handler is set. */
const OPTION_HOOKS = "__|__b|__c|__m|__r|event";

/** `(f = hook) && f(vnode)`, once the hook is known to be undefined. */
const CALLED_HOOK = /\((\w+) = void 0\) && \1\(\w+\)/g;

/** What can be removed from Preact, as esbuild prints it, with its replacement. */
const UNUSED: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [UNDEFINED_PROPS, "void 0"],
  // No component has a `render` method.
  [/\w+\.prototype && \w+\.prototype\.render\b/, "!1"],
  // Nothing sets HTML from a string.
  [/\w+ == "dangerouslySetInnerHTML"/g, "!1"],
  [
    /if \(\w+\) [^;]*__html\), \w+\.__k = \[\];\s+else if \(\w+ && \(\w+\.innerHTML = ""\), /,
    "if (",
  ],
  // There is no progress bar, popover or cell of several rows.
  [/\w+ == "progress"/g, "!1"],
  [/\w+ != "(rowSpan|colSpan|popover)" && /g, ""],
  // Only `render` redraws: nothing calls these two, and the queue behind them starts empty.
  [/\w+\.prototype\.setState = [^]*?(?=\w+\.prototype\.render = )/, ""],
  [/\w+\.__r = 0, /, ""],
  [/(?<=\.render = \w+), \w+ = \[\], \w+ = typeof Promise [^]*?(?=, \w+ = Math\.random)/, ""],
  // Icons are all there is of SVG, and of MathML nothing.
  [/\w+ == "math" \? \w+ = "[^"]*MathML" : /, ""],
  [/\w+ == "foreignObject" \? "[^"]*xhtml" : /, ""],
  [/(\w+) = \1\.replace\(\/xlink[^;]*;/, ";"],
  // Components do not throw promises.
  [/if \(\w+\.then\) \{[^]*?\} else if/, "if"],
  [/\w+\.then \|\| /, ""],
  // An error has no boundary, and ends the drawing.
  [/(__e: function\((\w+), [^)]*\) \{)[^]*?(?=throw \2;)/, "$1"],
  // Only custom properties are set from numbers, and no event is captured.
  [/typeof (\w+) != "number" \|\| \w+\.test\(\w+\) \? \1 : \1 \+ "px"/, "$1"],
  [/, \w+ = \/acit[^,]*?\/i(?=,)/, ""],
  [/(\w+) = (\w+) != \(\2 = \2\.replace\(\w+, "\$1"\)\)/, "$1 = !1"],
  [/, \w+ = \/\(PointerCapture[^,]*/, ""],
  // Components have neither a context nor a state.
  [/, \w+ = \((\w+) = void 0\) && \w+\[\1\.__c\], \w+ = \1 \? [^,]*/, ""],
  [/(\w+) && \1\.sub\(\w+\), (\w+)\.state \|\| \(\2\.state = \{\}\), /, ""],
  [/(\w+)\.state = \1\.__s, /g, ""],
  [
    /do\s+(\w+)\.__d = !1, [^]*?(\w+ = \1\.render\(\1\.props)[^]*?while \(\1\.__d && [^)]*\);/,
    "$2);",
  ],
  // Nothing waits for a component to be drawn.
  [/, \w+\.some\(function\((\w+)\) \{\s+try \{\s+\w+ = \1\.__h[^]*?\}\);(?=\s+\}\s+function)/, ";"],
  [/, (\w+)\.__h = \[\], \1\._sb = \[\]/, ""],
  [/\w+\.push\.apply\((\w+)\.__h, \1\._sb\), \1\._sb = \[\]/g, "0"],
  [/(\w+)\.__h\.length && \w+\.push\(\1\), /g, ""],
];

/**
 * Removes what the widget does not use of Preact from a bundle that is not minified yet. Saves 500 bytes
 * of gzip. Throws if a release of Preact is written differently.
 */
export function trimPreact(bundle: string): string {
  const [, options] = /(\w+) = \{ __e: function/.exec(bundle) ?? [];
  const hooks = new RegExp(`\\b${options}\\.(${OPTION_HOOKS})\\b`, "g");
  const [, isClass] = /(\w+) = \w+\.prototype && /.exec(bundle) ?? [];
  const classes = new RegExp(`\\b${isClass}(?= (&&|\\?))|(?<=, )${isClass}(?=\\))`, "g");
  const steps = [...UNUSED, [hooks, "void 0"], [CALLED_HOOK, "!1"], [classes, "!1"]] as const;
  return steps.reduce((text, [pattern, replacement]) => {
    const trimmed = text.replace(pattern, replacement);
    if (trimmed === text) throw new Error(`Preact has changed: nothing matches ${pattern}`);
    return trimmed;
  }, bundle);
}
