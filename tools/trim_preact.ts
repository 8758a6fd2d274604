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
  // Icons are the only SVG, and there is no MathML, progress bar, popover or cell of several rows.
  [/\w+ == "(math|foreignObject|progress)"/g, "!1"],
  [/\w+ = \w+\.replace\(\/xlink[^;]*;/, ";"],
  [/\w+ != "(rowSpan|colSpan|popover)" && /g, ""],
  // Only `render` redraws: nothing calls these two, and the queue behind them starts empty.
  [/\w+\.prototype\.setState = [^]*?(?=\w+\.prototype\.render = )/, ""],
  [/\w+\.__r = 0, /, ""],
];

/**
 * Removes what the widget does not use of Preact from a bundle that is not minified yet. Saves 500 bytes
 * of gzip. Throws if a release of Preact is written differently.
 */
export function trimPreact(bundle: string): string {
  const [, options] = /(\w+) = \{ __e: function/.exec(bundle) ?? [];
  const hooks = new RegExp(`\\b${options}\\.(${OPTION_HOOKS})\\b`, "g");
  const steps = [...UNUSED, [hooks, "void 0"], [CALLED_HOOK, "!1"]] as const;
  return steps.reduce((text, [pattern, replacement]) => {
    const trimmed = text.replace(pattern, replacement);
    if (trimmed === text) throw new Error(`Preact has changed: nothing matches ${pattern}`);
    return trimmed;
  }, bundle);
}
