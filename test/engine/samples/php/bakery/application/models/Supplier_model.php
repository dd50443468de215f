<?php defined('BASEPATH') or exit('No direct script access allowed');

class Supplier_model extends MY_Model
{
    public function search($where)
    {
        // vuln: sql_injection
        $this->db->where("(name LIKE '%" . $where['q'] . "%')");
        return $this->db->get('suppliers')->result();
    }
}
