<?php

class OrderModel
{
    private Database $db;

    public function search($day): array
    {
        // vuln: sql_injection
        $this->db->query('SELECT * FROM orders WHERE day = ' . $day);
        return $this->db->all();
    }
}
