<?php

class Cakes extends Controller
{
    private $cakes;
    private $orders;

    public function __construct()
    {
        $this->cakes = $this->model('Cake');
        $this->orders = $this->model('OrderModel');
    }

    public function search(): void
    {
        $found = $this->cakes->search($_POST['term']);
        $this->view('cakes/list', ['cakes' => $found, 'term' => $_POST['term']]);
    }

    public function show(): void
    {
        $this->view('cakes/list', ['cakes' => [$this->cakes->show($_GET['id'])], 'term' => '']);
    }

    public function orders(): void
    {
        $this->view('cakes/list', ['cakes' => $this->orders->search($_GET['day']), 'term' => '']);
    }
}
