/**
 * Names of properties that never leave the widget's memory. The bundler shortens them, which is 500
 * bytes of gzip less. Not among them: whatever is on the wire, in storage, in the page's reach, or
 * of the browser; a test keeps those that are the widget's to name.
 */

/** Of the widget's own objects. */
export const WIDGET_PROPS = splitWords(`
  accent announce apiBase attach away below busy changed child config conversation css draw due emit
  emitter endpoint failure fetcher forget frames gap greeting handle hush imageOrigins input inside
  kids kind label languages launcher left line lines live load locale log lost mark newId nth
  onLeave onLink onRetry onWake pause place refusal remaining renew restart resume retry retryAfter
  retryAt said save saved say sentence session sessionEndpoint show side source suggestions tag
  theme toEnd token tool turn ui unread waiting wake warn weight
`);

/** Of Preact's: its tree, its options, and what it has for class components, of which there are none. */
export const PREACT_PROPS = splitWords(`
  __ __E __P __b __c __d __e __h __i __k __m __n __r __s __u __v _sb
  base current debounceRendering diffed event props state sub unmount vnode
  context contextType defaultProps forceUpdate getChildContext getSnapshotBeforeUpdate
  getDerivedStateFromError getDerivedStateFromProps render setState shouldComponentUpdate
  componentDidCatch componentDidMount componentDidUpdate
  componentWillMount componentWillReceiveProps componentWillUnmount componentWillUpdate
`);

export const MANGLED_PROPS = new RegExp(`^(${[...WIDGET_PROPS, ...PREACT_PROPS].join("|")})$`);

function splitWords(text: string): string[] {
  return text.trim().split(/\s+/);
}
