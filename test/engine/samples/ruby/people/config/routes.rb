Rails.application.routes.draw do
  resources :users
end
