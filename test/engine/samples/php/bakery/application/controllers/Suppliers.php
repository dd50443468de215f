<?php defined('BASEPATH') or exit('No direct script access allowed');

class Suppliers extends MY_Controller
{
    public function index()
    {
        $this->load->model('supplier_model');
        $data['suppliers'] = $this->supplier_model->search(['q' => $this->input->get('q')]);
        $data['q'] = $this->input->get('q');
        $this->load->view('suppliers', $data);
    }
}
