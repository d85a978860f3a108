"""One benchmark a module, and what runs them: jobs, suite, runner, stand-in models."""
