import type { BackendValues } from "./backends.ts";

/** A plugin of one file: the script tag in the footer, and the route that mints its tokens. */
export function wordpressPlugin({ baseUrl, agentId, tag }: BackendValues): string {
  const [opening, closing] = tag.split(/data-session-endpoint="[^"]*"/);
  return `<?php
/**
 * Plugin Name: Agent chat
 * Description: Adds a chat to every page. Define CHAT_API_KEY in wp-config.php.
 * Version: 1.0.0
 */
if (!defined('ABSPATH')) exit;

add_action('rest_api_init', function () {
    register_rest_route('agent-chat/v1', '/session', [
        'methods' => 'POST',
        'permission_callback' => '__return_true',
        'callback' => 'agent_chat_session',
    ]);
});

function agent_chat_session($request) {
    $home = wp_parse_url(home_url());
    $port = isset($home['port']) ? ':' . $home['port'] : '';
    $minted = wp_remote_post('${baseUrl}/v1/widget/session', [
        'timeout' => 10,
        'headers' => [
            'Authorization' => 'Bearer ' . CHAT_API_KEY,
            'Content-Type' => 'application/json',
            'Origin' => $request->get_header('origin') ?: "{$home['scheme']}://{$home['host']}$port",
        ],
        'body' => wp_json_encode(['agentId' => '${agentId}']),
    ]);
    if (is_wp_error($minted)) return new WP_REST_Response(null, 502);
    $body = json_decode(wp_remote_retrieve_body($minted), true);
    return new WP_REST_Response($body, wp_remote_retrieve_response_code($minted));
}

add_action('wp_footer', function () { ?>
${opening}data-session-endpoint="<?php echo esc_url(rest_url('agent-chat/v1/session')); ?>"${closing}
<?php });
`;
}
