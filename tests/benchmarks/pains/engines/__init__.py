"""The engines that the pains are measured on."""
