<?php

class Events_Table
{
    public function find($city, $order)
    {
        global $wpdb;
        $table = $wpdb->prefix . 'events';
        // vuln: sql_injection
        $rows = $wpdb->get_results("SELECT * FROM $table WHERE city = '{$city}'");
        // safe: sql_injection
        $same = $wpdb->get_results($wpdb->prepare("SELECT * FROM $table WHERE city = %s", $city));
        // safe: sql_injection
        $escaped = $wpdb->get_results("SELECT * FROM $table WHERE city = '" . esc_sql($city) . "'");
        // vuln: sql_injection
        $ordered = $wpdb->get_results("SELECT * FROM $table ORDER BY " . esc_sql($order));
        // vuln: sql_injection
        $half = $wpdb->get_row($wpdb->prepare("SELECT * FROM $table WHERE day > %d ORDER BY $order", 3));
        return [$rows, $same, $escaped, $ordered, $half];
    }

    public function count($kind)
    {
        global $wpdb;
        // safe: sql_injection
        return $wpdb->get_var("SELECT COUNT(*) FROM {$wpdb->prefix}events WHERE kind = '$kind'");
    }

    public function purge($days)
    {
        global $wpdb;
        // safe: sql_injection
        return $wpdb->query("DELETE FROM {$wpdb->prefix}events WHERE age > $days");
    }
}
