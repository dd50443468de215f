<?php
/*
Plugin Name: Events
*/

require_once plugin_dir_path(__FILE__) . 'includes/class-events-table.php';

add_action('wp_ajax_events_find', 'events_ajax_find');
add_action('admin_post_events_save', 'events_save');

function events_ajax_find()
{
    check_ajax_referer('events');
    $table = new Events_Table();
    $rows = $table->find($_POST['city'], $_POST['order']);
    $table->count(sanitize_key($_POST['kind']));
    $table->purge(absint($_POST['days']));
    wp_send_json($rows);
}

function events_save()
{
    if (!wp_verify_nonce($_POST['_wpnonce'], 'events')) {
        wp_die('Expired');
    }
    update_option('events_title', sanitize_text_field(wp_unslash($_POST['title'])));
    if (isset($_POST['back'])) {
        // vuln: open_redirect
        wp_redirect($_POST['back']);
        exit;
    }
    // safe: open_redirect
    wp_safe_redirect($_POST['_wp_http_referer']);
    exit;
}

function events_page()
{
    $tab = isset($_GET['tab']) ? wp_unslash($_GET['tab']) : 'list';
    ?>
    <!-- vuln: xss -->
    <h2 class="<?php echo $tab; ?>">Events</h2>
    <!-- safe: xss -->
    <h2 class="<?php echo esc_attr($tab); ?>">Events</h2>
    <?php
    // vuln: xss
    printf('<a href="?tab=%s">again</a>', $_GET['tab']);
    // safe: xss
    printf('<a href="%s">again</a>', esc_url(add_query_arg('tab', $tab)));
    // vuln: file_inclusion
    include plugin_dir_path(__FILE__) . 'tabs/' . $tab . '.php';
    // safe: file_inclusion
    include plugin_dir_path(__FILE__) . 'tabs/' . sanitize_key($_GET['tab']) . '.php';
}

function events_import(WP_REST_Request $request)
{
    // vuln: ssrf
    $answer = wp_remote_get($request->get_param('url'));
    // safe: ssrf
    $other = wp_safe_remote_get($request->get_param('url'));
    // vuln: deserialization
    $state = maybe_unserialize($request->get_param('state'));
    return [$answer, $other, $state];
}

/** Tells which entry of the list is open. */
function events_row_class( $event ) {
	$id   = esc_attr( $event->ID );
	$open = ( isset( $_GET['open'] ) && $id === $_GET['open'] ) ? 'open' : 'closed';
	// safe: xss
	echo '<li class="' . $open . '" id="event-' . $id . '">';
	$walker = apply_filters( 'events_walker', 'Events_Walker', $_GET['open'] );
	// safe: code_injection
	return new $walker();
}
